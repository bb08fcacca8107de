import { formatFinding } from '@baton/language';
import { describe, expect, test } from 'vitest';

import { readServers } from './readServers.ts';

const read = (value: unknown) => readServers(JSON.stringify(value));
const codes = (value: unknown): string[] => read(value).findings.map(({ code, path }) => `${code} ${path}`);

describe('a file that works in another client works here', () => {
  test('Claude’s shape, comments and trailing commas included', () => {
    const { config, findings } = readServers(`{
      // what we use every day
      "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "./data"], "env": { "K": "\${K:-none}" }, },
      },
    }`);
    expect(findings).toEqual([]);
    expect(config.servers.get('files')).toMatchObject({
      type: 'stdio',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', './data'],
      env: { K: '${K:-none}' },
      disabled: false,
      policy: { scope: 'shared', trust: true, tools: 'block', sampling: 'deny', elicitation: 'deny' },
    });
  });

  test('VS Code’s, with its `servers` and its inputs', () => {
    const { config, findings } = read({
      inputs: [{ id: 'token', type: 'promptString' }],
      servers: {
        remote: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
        local: { type: 'stdio', command: 'server', env: { PORT: 3000, GONE: null }, envFile: '.env' },
      },
    });
    expect(findings.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'warning /inputs',
      'warning /servers/local/envFile',
    ]);
    expect(config.servers.get('remote')).toMatchObject({ type: 'http', url: 'https://example.com/mcp' });
    expect(config.servers.get('local')).toMatchObject({ env: { PORT: '3000' } });
  });

  test.each([
    ['streamable-http', 'http'],
    ['streamableHttp', 'http'],
    ['http', 'http'],
    ['sse', 'sse'],
    ['http-plain', 'http-plain'],
  ])('type %s is %s', (type, means) => {
    expect(read({ mcpServers: { a: { type, url: 'http://127.0.0.1/' } } }).config.servers.get('a')?.type).toBe(means);
  });

  test.each([
    { url: 'http://a/' },
    { httpUrl: 'http://a/' },
    { serverUrl: 'http://a/' },
    { transport: 'streamable_http', url: 'http://a/' },
  ])('an address may be written as %o', (entry) => {
    const { config, findings } = read({ mcpServers: { a: entry } });
    expect(findings).toEqual([]);
    expect(config.servers.get('a')).toMatchObject({ type: 'http', url: 'http://a/' });
  });

  test('keys that only another client knows are ignored with a warning', () => {
    const { config, findings } = read({ mcpServers: { a: { command: 'x', autoApprove: ['y'], timeout: 30 } } });
    expect(config.servers.has('a')).toBe(true);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'warning unknown-key',
      'warning unknown-key',
    ]);
    expect(findings[1]?.hint).toContain('"timeout": "60s" under "baton"');
  });

  test('`disabled`, or `enabled: false`, keeps a server from being used', () => {
    const { config } = read({
      mcpServers: { a: { command: 'x', disabled: true }, b: { command: 'x', enabled: false } },
    });
    expect([...config.servers.values()].map(({ disabled }) => disabled)).toEqual([true, true]);
  });
});

test('what Baton adds stands under `baton`', () => {
  const { config, findings } = read({
    mcpServers: {
      remote: {
        url: 'https://example.com/mcp',
        baton: {
          concurrency: 16,
          sessions: 2,
          scope: 'run',
          timeout: { idle: '30s', total: '10m' },
          trust: false,
          effects: { 'create_*': 'write', 'get_*': 'read' },
          tools: 'warn',
          sampling: 'allow',
          elicitation: 'ask',
          openTimeout: '500ms',
          roots: ['data'],
          logLevel: 'error',
          protocol: '2025-03-26',
        },
      },
      plain: { command: 'x', baton: { timeout: '60s' } },
    },
    models: {
      default: 'local',
      providers: { local: { kind: 'openai-compatible', url: 'http://127.0.0.1:11434/v1', model: 'small' } },
    },
  });
  expect(findings).toEqual([]);
  expect(config.servers.get('remote')?.policy).toEqual({
    concurrency: 16,
    sessions: 2,
    scope: 'run',
    timeout: { idleMs: 30_000, totalMs: 600_000 },
    trust: false,
    effects: { 'create_*': 'write', 'get_*': 'read' },
    tools: 'warn',
    sampling: 'allow',
    elicitation: 'ask',
    openTimeout: 500,
    origins: [],
    roots: ['data'],
    logLevel: 'error',
    protocol: '2025-03-26',
    declarations: {},
  });
  expect(config.servers.get('plain')?.policy.timeout).toEqual({ totalMs: 60_000 });
  expect(config.models).toMatchObject({ default: 'local' });
});

describe('what is declared of single tools', () => {
  const check = { tool: 'find', with: { q: '${{ call.arguments.title }}' }, happened: 'result.output.found' };
  const withTools = (tools: unknown, more: object = {}) =>
    read({ mcpServers: { a: { command: 'x', baton: { effects: { 'get_*': 'read' }, ...more, tools } } } });

  test('An entry of `tools` declares the effect, the check and the undo of a tool', () => {
    const undo = { tool: 'close', with: { id: '${{ call.output.id }}' } };
    const { config, findings } = withTools({ open: { effect: 'write', check, undo }, find: { effect: 'read' } });
    expect(findings).toEqual([]);
    expect(config.servers.get('a')?.policy).toMatchObject({
      tools: 'block',
      effects: { 'get_*': 'read', open: 'write', find: 'read' },
      declarations: { open: { check, undo } },
    });
  });

  test('The declarations of tools may stand beside what happens when a tool changes', () => {
    const { config, findings } = withTools({ open: { check } }, { toolChanges: 'warn' });
    expect([findings, config.servers.get('a')?.policy.tools]).toEqual([[], 'warn']);
  });

  test.each([
    [{ tools: 'accept', toolChanges: 'exact' }, 'toolChanges', 'one policy: "tools" is "accept"'],
    [{ tools: 'exact', toolChanges: 'exact' }, 'toolChanges', 'one policy: "tools" is "exact"'],
    [
      { tools: { get_x: { effect: 'read' } }, effects: { get_x: 'write' } },
      'tools/get_x/effect',
      'one effect: "effects"',
    ],
    [{ tools: { 'op*': { effect: 'read' } } }, 'tools/op*', 'the name of one tool; only "effects" takes patterns'],
  ])('What %j says twice or of no single tool is a mistake, also beside another mistake', (baton, key, expected) => {
    for (const timeout of ['60s', '60']) {
      const { findings } = read({ mcpServers: { a: { command: 'x', baton: { ...baton, timeout } } } });
      const found = findings.find(({ path }) => path === `/mcpServers/a/baton/${key}`);
      expect(found).toMatchObject({ severity: 'error', code: 'invalid-value' });
      expect(found?.expected?.startsWith(expected)).toBe(true);
    }
  });

  test('An entry of `tools` may say the effect that `effects` says too, and counts more than its patterns', () => {
    const { config, findings } = withTools(
      { get_x: { effect: 'write' } },
      { effects: { 'get_*': 'read', get_x: 'write' } },
    );
    expect([findings, config.servers.get('a')?.policy.effects['get_x']]).toEqual([[], 'write']);
  });

  test.each([
    ['blok', 'invalid-value /mcpServers/a/baton/tools', undefined],
    [{ 'op*': { check } }, 'invalid-value /mcpServers/a/baton/tools/op*', undefined],
    [{ 'a/open': { check } }, 'invalid-value /mcpServers/a/baton/tools/a~1open', undefined],
    [{ open: { chek: check } }, 'unknown-key /mcpServers/a/baton/tools/open/chek', 'did you mean "check"?'],
    [
      { open: { check: { tool: 'find', hapened: 'true' } } },
      'missing-key /mcpServers/a/baton/tools/open/check/happened',
      '"hapened": did you mean "happened"?',
    ],
    [
      { open: { check: { ...check, wiht: {} } } },
      'unknown-key /mcpServers/a/baton/tools/open/check/wiht',
      'did you mean "with"?',
    ],
    [
      { open: { check: { ...check, tool: 'a/find' } } },
      'invalid-value /mcpServers/a/baton/tools/open/check/tool',
      undefined,
    ],
    [
      { open: { check: { ...check, with: 'q' } } },
      'invalid-value /mcpServers/a/baton/tools/open/check/with',
      undefined,
    ],
    [
      { open: { undo: { tool: 'close', timeout: '3' } } },
      'invalid-value /mcpServers/a/baton/tools/open/undo/timeout',
      undefined,
    ],
    [
      { open: { undo: { tool: 'close', happened: 'true' } } },
      'unknown-key /mcpServers/a/baton/tools/open/undo/happened',
      undefined,
    ],
    [
      { open: { check: { ...check, happened: 'result.output.' } } },
      'expression-syntax /mcpServers/a/baton/tools/open/check/happened',
      undefined,
    ],
    [
      { open: { check: { ...check, happened: 'cal.arguments.x' } } },
      'unknown-name /mcpServers/a/baton/tools/open/check/happened',
      'did you mean "call"?',
    ],
    [
      { open: { check: { ...check, happened: 'call.argument.x' } } },
      'unknown-field /mcpServers/a/baton/tools/open/check/happened',
      'did you mean "arguments"?',
    ],
  ])('Under `tools` of a server %j is a mistake, with its place and the nearest name', (tools, at, hint) => {
    const found = withTools(tools).findings.find(({ code, path }) => `${code} ${path}` === at);
    expect([found?.severity, found?.hint]).toEqual(['error', hint]);
  });
});

describe('mistakes', () => {
  test('all of them are reported at once, each with its place, and servers that are right are there nevertheless', () => {
    const { config, findings } = readServers(
      [
        '{ "mcpServers": {',
        '  "good": { "command": "x" },',
        '  "one": { "type": "htp", "url": "http://a/" },',
        '  "two": { "command": 3, "args": "x" },',
        '  "three": { "command": "x", "baton": { "sesions": 2, "concurrency": 0, "timeout": "60" } },',
        '  "four": {},',
        '  "five": { "url": "file:///etc/passwd" },',
        '  "six": { "url": "http://user:pw@host/" }',
        '} }',
      ].join('\n'),
    );
    expect([...config.servers.keys()]).toEqual(['good']);
    expect(findings.map(({ code, path, line, severity }) => `${line} ${severity} ${code} ${path}`)).toEqual([
      '3 error invalid-value /mcpServers/one/type',
      '4 error invalid-value /mcpServers/two/command',
      '4 error invalid-value /mcpServers/two/args',
      '5 error unknown-key /mcpServers/three/baton/sesions',
      '5 error invalid-value /mcpServers/three/baton/concurrency',
      '5 error invalid-value /mcpServers/three/baton/timeout',
      '6 error missing-key /mcpServers/four',
      '7 error invalid-url /mcpServers/five/url',
      '8 error invalid-url /mcpServers/six/url',
    ]);
    expect(findings[0]).toMatchObject({ hint: 'did you mean "http"?', column: 20, found: '"htp"' });
    expect(findings[3]).toMatchObject({ hint: 'did you mean "sessions"?' });
  });

  test('a misspelt key that a server cannot be without is named', () => {
    const { findings } = readServers('{"mcpServers":{"a":{"comand":"node"}}}');
    expect(findings.find(({ code }) => code === 'missing-key')).toMatchObject({
      hint: '"comand": did you mean "command"?',
    });
    const typed = readServers('{"mcpServers":{"a":{"type":"stdio","comand":"node"}}}').findings;
    expect(typed.find(({ code }) => code === 'missing-key')).toMatchObject({
      expected: 'string',
      hint: '"comand": did you mean "command"?',
    });
  });

  test('a frame shows the place, and stars where a credential may stand', () => {
    const [finding] = readServers(
      '{ "mcpServers": { "a": {\n  "url": "ftp://a/",\n  "headers": { "Authorization": "Bearer s3cr3t-value" }\n} } }',
    ).findings;
    expect(finding?.frame).toBe(
      [
        '1 | { "mcpServers": { "a": {',
        '2 |   "url": "ftp://a/",',
        '  |          ^^^^^^^^^^',
        '3 |   "headers": { "Authorization": "*******************" }',
      ].join('\n'),
    );
  });

  test('a value that may hold a credential is not quoted', () => {
    const { findings } = readServers('{"mcpServers":{"a":{"command":"x","headers":3,"args":["tok\\u0000en"]}}}');
    expect(JSON.stringify(findings)).not.toContain('tok');
    expect(findings.map(({ path }) => path)).toContain('/mcpServers/a/args/0');
  });

  test.each([
    ['', 'syntax'],
    ['{', 'syntax'],
    ['[]', 'wrong-type'],
    ['"x"', 'wrong-type'],
    ['{"mcpServers": []}', 'wrong-type'],
    ['{"mcpServers": {"a": "x"}}', 'wrong-type'],
    ['{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'duplicate-key'],
    ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'forbidden-key'],
    [`{"mcpServers": ${'['.repeat(50_000)}`, 'too-deep'],
    [`{"mcpServers": "${'x'.repeat(1024 * 1024)}"}`, 'too-large'],
  ])('%.40s is %s', (text, code) => {
    expect(readServers(text).findings.map((finding) => finding.code)).toContain(code);
    expect(({} as Record<string, unknown>)['command']).toBeUndefined();
  });

  test('a byte order mark and Windows line ends are no mistake', () => {
    expect(readServers('\uFEFF{"mcpServers": {\r\n"a": {"command": "x"}}}').findings).toEqual([]);
  });

  test.each([
    ['io.github.github/github-mcp-server', 'github-mcp-server'],
    ['@scope/pkg', 'pkg'],
    ['My Server', 'My-Server'],
    ['Docs (beta)', 'Docs-beta'],
    ['größe', 'groesse'],
    ['../x', 'x'],
    ['a:b', 'a-b'],
    ['x'.repeat(70), 'x'.repeat(63)],
  ])('the server "%s" is used under a name that workflows can write: %s', (name, alias) => {
    const { config, findings } = read({ mcpServers: { [name]: { command: 'x' } } });
    expect([...config.servers].map(([key, server]) => [key, server.name])).toEqual([[alias, alias]]);
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning server-name']);
    expect(findings[0]?.message).toContain(`"${alias}"`);
  });

  test('a name that workflows can write comes before one that is made, wherever it stands', () => {
    const { config, findings } = read({
      mcpServers: { 'a/pkg': { command: 'first' }, 'b/pkg': { command: 'second' }, 'c/pkg': { command: 'third' } },
      servers: { pkg: { command: 'own' }, 'a-pkg': { command: 'own' } },
    });
    const commands = [...config.servers].map(([name, server]) => [name, 'command' in server ? server.command : '']);
    expect(commands.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['a-pkg', 'own'],
      ['b-pkg', 'second'],
      ['c-pkg', 'third'],
      ['pkg', 'own'],
    ]);
    expect(findings.map(({ path }) => path)).toEqual([
      '/mcpServers/a~1pkg',
      '/mcpServers/b~1pkg',
      '/mcpServers/c~1pkg',
    ]);
  });

  test.each(['', '日本語', '__'])('a server named "%s" is left out, with the remedy', (name) => {
    const { config, findings } = read({ mcpServers: { [name]: { command: 'x' } } });
    expect(config.servers.size).toBe(0);
    expect(findings).toMatchObject([{ severity: 'warning', code: 'server-name', hint: expect.any(String) as string }]);
  });

  test('null is absent, whichever key has it', () => {
    const keys = ['args', 'env', 'cwd', 'disabled', 'baton', 'type', 'transport', 'headers', 'enabled', 'isActive'];
    const entry = Object.fromEntries(keys.map((key) => [key, null]));
    const { config, findings } = read({ mcpServers: { a: { command: 'x', ...entry } } });
    expect(findings).toEqual([]);
    expect(config.servers.get('a')).toMatchObject({ type: 'stdio', args: [], env: {}, disabled: false });
  });

  test('an argument may hold line ends, since no shell reads it', () => {
    const args = ['-c', 'import sys\nprint(1)'];
    expect(read({ mcpServers: { a: { command: 'python3', args } } })).toMatchObject({ findings: [] });
    expect(codes({ mcpServers: { a: { command: 'x', args: ['a\0b'] } } })).toEqual([
      'invalid-value /mcpServers/a/args/0',
    ]);
  });

  test.each([{ enabled: false }, { isActive: false }, { disabled: true }])('%j starts nothing', (off) => {
    expect(read({ mcpServers: { a: { command: 'x', ...off } } }).config.servers.get('a')?.disabled).toBe(true);
  });

  test.each<[string, string, string]>([
    ['mcpServers:\n  a:\n    command: x\n', 'syntax', 'This is YAML'],
    ['# mine\n---\nservers: {}\n', 'syntax', 'This is YAML'],
    ['{"a": {"command": "x"}}', 'unknown-key', 'put it under "mcpServers"'],
    ['{"mcpServers": {"a": {"command": "npx -y pkg"}}}', 'command-line', '"command": "npx"'],
    ['{"mcpServers": {"a": {"command": "x", "envFile": ".env"}}}', 'unknown-key', 'under "env"'],
    ['{"mcpServers": {"a": {"command": "x", "args": ["${config:y}"]}}}', 'unknown-variable', '"${config:y}"'],
    ['{"mcpServers": {"a": {"command": "${workspaceFolder:api}/x"}}}', 'unknown-variable', '${workspaceFolder}'],
  ])('what Baton has no counterpart for is said with the remedy: %.60s', (text, code, remedy) => {
    const [finding] = readServers(text).findings;
    expect(finding?.code).toBe(code);
    expect(JSON.stringify([finding?.message, finding?.hint]).replaceAll('\\"', '"')).toContain(remedy);
  });

  test.each(['/opt/My Tools/server', 'C:\\Program Files\\node.exe', 'npx'])('%s is one program', (command) => {
    expect(read({ mcpServers: { a: { command } } }).findings).toEqual([]);
  });

  test('one name under both keys is one server too many', () => {
    expect(codes({ mcpServers: { a: { command: 'x' } }, servers: { a: { command: 'y' } } })).toEqual([
      'duplicate-server /servers/a',
    ]);
  });

  test.each(['NODE_OPTIONS', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'GIT_SSH_COMMAND', 'BATON_MARK'])(
    '%s is not handed on, and that is said',
    (variable) => {
      const { config, findings } = read({
        mcpServers: { a: { command: 'x', env: { [variable]: 'v', PATH: '/bin' } } },
      });
      expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning env-ignored']);
      expect(config.servers.get('a')).toMatchObject({ env: { PATH: '/bin' } });
      expect(JSON.stringify([...config.servers])).not.toContain(variable);
    },
  );

  test.each(['a\nb', 'a\rb', 'a\0b'])('a header with a line end or NUL is refused', (value) => {
    expect(codes({ mcpServers: { a: { url: 'http://a/', headers: { X: value } } } })).toEqual([
      'invalid-value /mcpServers/a/headers/X',
    ]);
  });
});

test('a changed entry is another revision, a reformatted one is not', () => {
  const revision = (text: string) => readServers(text).config.servers.get('a')?.revision;
  const before = revision('{"mcpServers":{"a":{"command":"x","args":["1"]}}}');
  expect(revision('{ "mcpServers": { "a": { "args": [ "1" ], "command": "x" } } } // same')).toBe(before);
  expect(revision('{"mcpServers":{"a":{"command":"x","args":["2"]}}}')).not.toBe(before);
});

test('a credential that stands there as it is, is warned of by its place, and never shown', () => {
  const secret = 'sk-4f3e2d1c0b9a8877';
  const text = JSON.stringify(
    {
      mcpServers: {
        plain: { command: 'x', args: [`--api-key=${secret}`], env: { API_KEY: secret, REGION: 'us-east-1' } },
        remote: { url: `https://example.com/mcp?token=${secret}`, headers: { Authorization: `Bearer ${secret}` } },
        right: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${secret:TOKEN}' } },
      },
      models: {
        providers: {
          plain: { kind: 'openai', model: 'gpt-5', apiKey: secret, headers: { 'x-api-key': secret } },
          right: { kind: 'anthropic', apiKey: '${secret:ANTHROPIC_API_KEY}', model: 'claude-sonnet-4-5' },
        },
      },
    },
    undefined,
    1,
  );
  const { findings } = readServers(text);
  expect(findings.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
    'warning plain-credential /mcpServers/plain/args',
    'warning plain-credential /mcpServers/plain/env/API_KEY',
    'warning plain-credential /mcpServers/remote/url',
    'warning plain-credential /mcpServers/remote/headers/Authorization',
    'warning plain-credential /models/providers/plain/apiKey',
    'warning plain-credential /models/providers/plain/headers/x-api-key',
  ]);
  expect(findings.map((finding) => formatFinding(finding)).join('\n')).not.toContain('4f3e2d1c');
});

test('a credential that is too short to be hidden is warned of by its place, and never shown', () => {
  const text = JSON.stringify({
    mcpServers: {
      short: {
        command: 'x',
        env: { PASSWORD: '48z1', TOKEN_LIMIT: '48z1', USE_AUTH: '1', AUTH: 'none', REGION: 'eu' },
      },
      remote: { url: 'https://example.com/mcp', headers: { 'X-Api-Key': '48z1', Authorization: '${secret:TOKEN}' } },
    },
  });
  const { findings } = readServers(text);
  expect(findings.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
    'warning short-credential /mcpServers/short/env/PASSWORD',
    'warning short-credential /mcpServers/remote/headers/X-Api-Key',
  ]);
  expect(findings.map((finding) => formatFinding(finding)).join('\n')).not.toContain('48z1');
});

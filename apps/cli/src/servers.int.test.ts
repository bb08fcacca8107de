import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type EndedProcess, brokenServer, jsonIn, readLedger, testInstallation } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from './program.ts';

const everything = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

const installation = testInstallation({
  commandLine: runCommandLine,
  servers: { everything: { command: process.execPath, args: [everything] }, broken: brokenServer('exits') },
});
const { baton } = installation;

describe('a server', () => {
  test('is a row for a program, and so are its tools', async () => {
    expect((await baton(['servers', 'ls'])).stdout).toMatch(/^tools\tstdio\t/m);
    const tools = await baton(['servers', 'tools', 'tools']);
    expect(tools.stdout).toMatch(/^tools\/echo\tread\t/m);
    const listed = JSON.parse((await baton(['servers', 'tools', 'tools', '--json'])).stdout) as { name: string }[];
    expect(listed.map(({ name }) => name)).toContain('echo');
    const sum = await baton(['servers', 'tools', 'everything', 'get-sum']);
    expect(sum.stdout).toMatch(
      /^everything\/get-sum {2}[^]*\n {2}a {2}number {2}required[^]* get-sum -i a=… -i b=…\n$/,
    );
    const begun = ['__complete', '--', 'servers', 'call', 'everything', 'get-sum', '-i', ''];
    expect((await baton(begun)).stdout).toMatch(/^a=\t.*\nb=\t.*\n$/);
    expect((await baton(['servers', 'tools', 'everything/get-sum'])).stdout).toBe(sum.stdout);
    expect((await baton(['servers', 'tools', 'tools', 'ecko'])).stderr).toContain('did you mean "echo"');
  });

  test('is tried on request', async () => {
    const tried = await baton(['servers', 'test', 'tools']);
    expect(tried.code).toBe(0);
    expect(tried.stdout).toMatch(/^tools answers: .*MCP \d{4}-\d\d-\d\d, \d+ tools, 0 prompts, 0 resources\n$/);
    const broken = await baton(['servers', 'test', 'broken']);
    expect(broken).toMatchObject({ code: 6, stdout: '' });
    expect(broken.stderr).toContain('broken');
  });

  test('that is tried by a person is waited for with a word, since some take long to start', async () => {
    const { stdout, stderr } = await baton(['servers', 'test', 'tools'], { terminal: () => {} });
    expect(stdout).toContain('tools answers: ');
    expect(stderr).toContain('Waiting for tools to start and answer …');
  });
});

test('the tools of a server are approved; where nothing changed it says so, and one that is not there is told', async () => {
  const same = await baton(['servers', 'approve', 'tools']);
  expect(same).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The tools of tools have not changed since workflows were checked.\n',
  });
  expect(JSON.parse((await baton(['servers', 'approve', 'tools', '--dry-run', '--json'])).stdout)).toEqual({
    digest: expect.any(String),
    data: [],
  });
  expect((await baton(['servers', 'approve', 'unknown'])).code).toBe(3);
});

describe('a tool', () => {
  const callsOf = (tool: string): number =>
    readLedger(join(installation.folder, 'ledger')).filter(({ call }) => call === tool).length;

  test('is called once, and says what it answered; the call is a run like any other', async () => {
    const called = await baton(['servers', 'call', 'tools', 'echo', '-i', 'message=${{ "it" }}']);
    expect(called).toEqual({ code: 0, stdout: '${{ "it" }}\n', stderr: '' });
    const asJson = await baton(['servers', 'call', 'tools', 'echo', '--inputs', '-', '--json'], {
      input: JSON.stringify({ message: 'from stdin' }),
    });
    const { run, ...answer } = jsonIn(asJson);
    const content = [{ type: 'text', text: 'from stdin' }];
    expect(answer).toEqual({ status: 'succeeded', output: 'from stdin', content });
    expect(jsonIn(await baton(['runs', 'show', String(run), '--json']))).toMatchObject({
      steps: [{ path: 'call', target: 'tools/echo', status: 'succeeded' }],
    });
  });

  test('is not called with what does not fit it: every argument that is wrong is named', async () => {
    const wrong = await baton(['servers', 'call', 'everything', 'get-sum', '--inputs', '-'], {
      input: '{ "a": "two", "c": 3 }',
    });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('needs the argument "b"');
    expect(wrong.stderr).toMatch(/^ {2}a: .*a number/m);
    expect(wrong.stderr).toMatch(/^ {2}c: .*has no argument "c"/m);
    expect((await baton(['servers', 'call', 'everything', 'get-sum', '-i', 'a=two'])).code).toBe(2);
    const misspelt = await baton(['servers', 'call', 'tools', 'ecko']);
    expect([misspelt.code, misspelt.stderr]).toEqual([3, expect.stringContaining('"echo"')]);
    expect((await baton(['servers', 'call', 'unknown', 'echo'])).code).toBe(3);
    const slash = await baton(['servers', 'call', 'tools/echo', '-i', 'message=in one word']);
    expect(slash).toEqual({ code: 0, stdout: 'in one word\n', stderr: '' });
    expect(await baton(['servers', 'call', 'tools'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`baton servers tools tools`') as string,
    });
    const near = await baton(['servers', 'call', 'everything', 'echo', '-i', 'mesage=hi']);
    expect(near).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: The tool has no argument "mesage".\nhint: did you mean "message"?\n',
    });
    const far = await baton(['servers', 'call', 'everything', 'get-sum', '-i', 'total=1']);
    expect(far.stderr).toContain('hint: its arguments are a, b');
    expect((await baton(['servers', 'call', 'broken', 'echo'])).code).toBe(6);
  });

  test('that writes is only called after a yes', async () => {
    const args = ['servers', 'call', 'tools', 'write', '-i', 'key=once'];
    const refused = await baton(args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    expect(callsOf('write')).toBe(0);
    expect((await baton([...args, '--yes'])).code).toBe(0);
    expect(callsOf('write')).toBe(1);
  });

  test('that answers with an error makes the command fail, with what it said', async () => {
    const failed = await baton(['servers', 'call', 'tools', 'fail', '-i', 'message=not today', '--yes']);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('not today');
  });

  test('is called with a key that may start runs with its effect', async () => {
    const made = await baton([
      'keys',
      'create',
      'careful',
      '-s',
      'runs:write',
      '-s',
      'servers:read',
      '--effects',
      'read',
      '--json',
    ]);
    const env = { BATON_API_KEY: String(jsonIn(made)['key']) };
    expect((await baton(['servers', 'call', 'tools', 'write', '-i', 'key=other', '--yes'], { env })).code).toBe(4);
    expect(
      (await baton(['servers', 'call', 'tools', 'echo', '-i', 'message=hi', '--timeout', '1m'], { env })).stderr,
    ).toBe('');
  });
});

describe('the doctor', () => {
  const states = ({ stdout }: EndedProcess): Map<string, string> =>
    new Map((JSON.parse(stdout) as { what: string; state: string }[]).map(({ what, state }) => [what, state]));

  test('names what is wrong, what to do about it, and what is well', async () => {
    const thorough = await baton(['doctor', '--servers', '--json']);
    expect(thorough.code).toBe(1);
    expect([...states(thorough)]).toEqual(
      expect.arrayContaining([
        ['api', 'ok'],
        ['postgres', 'ok'],
        ['queue', 'ok'],
        ['key', 'ok'],
        ['server tools', 'ok'],
        ['server broken', 'wrong'],
      ]),
    );
    const { stdout } = await baton(['doctor', '--servers']);
    expect(stdout).toContain('baton servers test broken');
  });

  test('says what is amiss before anything answers: settings, the address, the key', async () => {
    const env = { BATON_PORT: 'many', BATON_URL: 'http://127.0.0.1:1' };
    const withoutBaton = await baton(['doctor', '--json'], { env });
    expect(withoutBaton.code).toBe(1);
    expect(states(withoutBaton)).toEqual(
      new Map([
        ['settings', 'wrong'],
        ['api', 'wrong'],
      ]),
    );
    const stranger = await baton(['doctor', '--json'], { env: { BATON_API_KEY: 'not-a-key' } });
    expect([stranger.code, states(stranger).get('key')]).toEqual([1, 'wrong']);
  });
});

describe('mcp.json, saved while `baton dev` runs', () => {
  const read = async () =>
    JSON.parse(await readFile(join(installation.folder, 'mcp.json'), 'utf8')) as { mcpServers: Record<string, object> };
  const save = (mcpServers: Record<string, object>) => installation.write('mcp.json', JSON.stringify({ mcpServers }));

  /** The state of each server, by its name. */
  const listed = async (): Promise<Map<string, string>> => {
    const { stdout } = await baton(['servers', 'ls', '--json']);
    return new Map((JSON.parse(stdout) as { name: string; state: string }[]).map(({ name, state }) => [name, state]));
  };
  const until = async (holds: (servers: Map<string, string>) => boolean): Promise<void> => {
    while (!holds(await listed()));
  };

  test('new servers are added, removed ones are gone, and unchanged ones keep their sessions', async () => {
    const { mcpServers } = await read();
    const { broken: _, ...others } = mcpServers;
    expect((await baton(['servers', 'call', 'tools', 'echo', '-i', 'message=before'])).code).toBe(0);
    await save({ ...others, second: mcpServers['tools'] ?? {} });
    await until((servers) => servers.has('second') && !servers.has('broken'));
    expect(await baton(['servers', 'call', 'second', 'echo', '-i', 'message=new'])).toMatchObject({ stdout: 'new\n' });
    const states = await listed();
    expect(states.get('tools')).toBe('ready');
    await save({ ...others, second: { command: 'nothing-of-this-name' } });
    await until((servers) => servers.get('second') !== 'ready');
    expect((await baton(['servers', 'call', 'second', 'echo', '-i', 'message=it'])).code).not.toBe(0);
    expect((await baton(['servers', 'call', 'tools', 'echo', '-i', 'message=after'])).stdout).toBe('after\n');
  });

  test('a mistake in it leaves the servers unchanged', async () => {
    const { mcpServers } = await read();
    await installation.write('mcp.json', '{ "mcpServers": { "tools": { "commands": "x" } } }');
    expect((await baton(['servers', 'call', 'tools', 'echo', '-i', 'message=still'])).stdout).toBe('still\n');
    await save({ ...mcpServers, third: mcpServers['tools'] ?? {} });
    await until((servers) => servers.has('third'));
  });
});

describe('a server that is added', () => {
  const file = () => readFile(join(installation.folder, 'mcp.json'), 'utf8');

  test('is tried, and its tools are shown with their effects, before it is in mcp.json', async () => {
    const { tools = {} } = (JSON.parse(await file()) as { mcpServers: Record<string, { args?: string[] }> }).mcpServers;
    const command = [process.execPath, ...(tools.args ?? [])];
    const added = await baton(['add', 'mine', '--', ...command]);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('mine/echo\tread\t') });
    expect(JSON.parse(await file())).toMatchObject({ mcpServers: { mine: { command: process.execPath } } });
    expect((await baton(['add', 'mine', '--', ...command])).code).toBe(5);
    const missing = await baton(['add', 'absent', '--', 'no-program-of-this-name']);
    expect(missing.stderr).toContain('nothing was written');
    expect(await file()).not.toContain('absent');
  });

  test('is not a program if it is an npm package: the command that adds it is told', async () => {
    const scoped = await baton(['add', 'box', '@modelcontextprotocol/server-filesystem', './data']);
    expect(scoped).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        'Do you mean the npm package of that name?\nhint: add it with `baton add npm:@modelcontextprotocol/server-filesystem ./data --name box`',
      ) as string,
    });
    const withOptions = await baton(['add', 'box', '--', 'npm:some-server', '--all']);
    expect(withOptions.stderr).toContain('`baton add --name box -- npm:some-server --all`');
    expect(await file()).not.toContain('box');
  });

  test('is in the file of the Baton above, if the folder here has none', async () => {
    const above = join(installation.folder, '.baton');
    await symlink('data', above);
    await mkdir(join(installation.folder, 'below'));
    process.chdir('below');
    onTestFinished(() => process.chdir(installation.folder));
    onTestFinished(() => rm(above));
    const args = ['--no-test', '--', 'node', 'later.mjs'];
    const added = await baton(['add', 'later', ...args], { env: { BATON_DATA: '' } });
    const used = `later is in ../mcp.json. \`baton dev\` in ${installation.folder} uses it, at once if it runs.`;
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining(used) as string });
    expect(await file()).toContain('later.mjs');
    // Its own file comes first.
    await writeFile('mcp.json', '{}');
    const own = await baton(['add', 'own', ...args], { env: { BATON_DATA: '' } });
    expect(own).toMatchObject({ code: 0, stderr: expect.stringContaining('own is in mcp.json.') as string });
    expect(await readFile('mcp.json', 'utf8')).toContain('later.mjs');
  });

  test('is quoted with what it said when it started: it may lack an argument', async () => {
    const program = join(everything, '../../../server-filesystem/dist/index.js');
    const added = await baton(['add', 'folderless', '--', process.execPath, program]);
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/folderless said when it started:\n.*director/s),
    });
  });

  test('is passed what follows the name of its package, with `--` or without', async () => {
    const args = ['add', 'npm:@modelcontextprotocol/server-filesystem@1.0.0', '--no-test', '--name'];
    expect(await baton([...args, 'box', '/tmp/box'])).toMatchObject({ code: 0 });
    expect(await baton([...args, 'boxes', '--', '/tmp/box', '--all'])).toMatchObject({ code: 0 });
    const program = ['-y', '@modelcontextprotocol/server-filesystem@1.0.0', '/tmp/box'];
    expect(JSON.parse(await file())).toMatchObject({
      mcpServers: { box: { command: 'npx', args: program }, boxes: { args: [...program, '--all'] } },
    });
  });

  test('gets its secret from the store, and the file only names it; a value that it does not take is told', async () => {
    const environmentVariables = [{ name: 'TOKEN_OF_REGISTRY', isRequired: true, isSecret: true }];
    const packages = [{ registryType: 'npm', identifier: 'weather-server', version: '1.0.0', environmentVariables }];
    await installation.write('weather.json', JSON.stringify({ name: 'io.github.someone/weather', packages }));
    const args = ['add', 'weather', '--registry', '.', '--no-test'];
    expect((await baton(args)).stderr).toContain('add --value TOKEN_OF_REGISTRY=');
    const strange = await baton([...args, '--value', 'TOKEN_OF_REGISTRY=x', '--value', 'allowed-directory=/tmp/box']);
    expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining('takes no value "allowed-directory"') });
    expect(strange.stderr).toContain('it takes TOKEN_OF_REGISTRY');
    const none = await baton(['add', 'npm:files@1.0.0', '--no-test', '--value', 'allowed-directory=/tmp/box']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('it takes none') });
    const added = await baton([...args, '--value', 'TOKEN_OF_REGISTRY=very-secret']);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('only weather receives it') });
    expect(await file()).not.toContain('very-secret');
    expect(await file()).toContain('${secret:WEATHER_TOKEN_OF_REGISTRY}');
    expect((await baton(['secrets', 'ls'])).stdout).toContain('WEATHER_TOKEN_OF_REGISTRY');
    // One that the operator set before stays as it is.
    expect((await baton(['secrets', 'set', 'OTHER_TOKEN_OF_REGISTRY'], { input: 'kept-as-it-is' })).code).toBe(0);
    const taken = await baton([...args, '--name', 'other', '--value', 'TOKEN_OF_REGISTRY=another-one']);
    expect(taken).toMatchObject({ code: 5, stderr: expect.stringContaining('already exists') });
    expect(await file()).not.toContain('"other"');
  });
});

test('types of the deployed workflows are what TypeScript holds a program against', async () => {
  const written = await baton(['types', '-o', 'baton.d.ts']);
  expect(written).toMatchObject({ code: 0, stderr: 'baton.d.ts: inputs and outputs of 1 workflow.\n' });
  const text = await readFile(join(installation.folder, 'baton.d.ts'), 'utf8');
  expect(text).toContain("declare module 'batonflow/client'");
  expect(text).toMatch(
    /"greet": \{\s+readonly inputs: \{\s+readonly name: "Ada" \| "Grace";\s+readonly times\?: number;/,
  );
  expect(text).toMatch(/readonly outputs: \{\s+readonly greeting: string;\s+readonly times: number;/);
});

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { FreshDatabase } from '@baton/testing';
import { freshDatabase, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

// Each test starts several processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const mainFile = fileURLToPath(new URL('./main.ts', import.meta.url));

/** What this machine has set for itself is not for the tests. */
const bare = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(BATON_|DATABASE_URL|REDIS_URL|NO_COLOR|FORCE_COLOR|LOG_LEVEL)/.test(name),
  ),
);

let database: FreshDatabase;
let folder: string;
let url: string;
let stack: Spawned;

interface Spawned {
  /** Resolves with everything of that stream up to now, once it holds `text`. Rejects where the command ends before. */
  told(text: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A whole process, in a folder of its own, killed with the tests at the latest. */
function start(args: readonly string[], { env = {}, input = '' }: Around = {}): Spawned {
  const child = spawn(process.execPath, [mainFile, ...args], { cwd: folder, env: { ...bare, ...env } });
  running.add(child);
  let stderr = '';
  const looks = new Set<() => void>();
  let isOver = false;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const look of looks) look();
  });
  // Whoever does not read its stdin may be gone before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = Promise.all([once(child, 'close'), readAll(child.stdout)]).then(([[code, signal], stdout]): Ended => {
    isOver = true;
    running.delete(child);
    for (const look of looks) look();
    return { code: (code as number | null) ?? (signal as NodeJS.Signals), stdout, stderr };
  });
  const told = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stderr.includes(text)) resolve(stderr);
        else if (isOver) reject(new Error(`it ended before it said "${text}":\n${stderr}`));
        else return;
        looks.delete(look);
      };
      looks.add(look);
      look();
    });
  return { told, ended, signal: (signal) => void child.kill(signal) };
}

/** Against the stack. */
const begin = (args: readonly string[], { env, ...around }: Around = {}): Spawned =>
  start(args, { ...around, env: { BATON_URL: url, BATON_DATA: join(folder, 'data'), ...env } });

const baton = (args: readonly string[], around?: Around): Promise<Ended> => begin(args, around).ended;

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

const escape = '\u001B';

const jsonIn = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'baton-cli-'));
  const servers = { tools: toolsServer(join(folder, 'ledger')) };
  await write('mcp.json', JSON.stringify({ mcpServers: servers }));
  await Promise.all([
    write('greet.workflow.yaml', greet),
    write('fails.workflow.yaml', 'workflow: fails\nsteps:\n  - id: stop\n    fail: it was not to be\n'),
    write('waits.workflow.yaml', 'workflow: waits\nsteps:\n  - id: nap\n    wait: 1h\n'),
    write('broken.workflow.yaml', 'workflow: broken\nsteps:\n  - id: a\n    tol: tools/echo\n'),
    write('unknown.workflow.yaml', 'workflow: unknown\nsteps:\n  - id: a\n    tool: tools/ecko\n'),
  ]);
  stack = start(['dev', '--port', '0', '--data', 'data'], { env: { DATABASE_URL: database.url } });
  const greeting = await stack.told('Ctrl-C ends it');
  url = /http:\/\/[\d.:]+/.exec(greeting)?.[0] ?? '';
  const deployed = await baton(['deploy', 'greet.workflow.yaml']);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
});

afterAll(async () => {
  stack.signal('SIGTERM');
  await stack.ended;
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const greet = `
workflow: greet
title: Greets
inputs:
  name: { type: string, enum: [Ada, Grace] }
  times: { type: integer, default: 1 }
steps:
  - id: hello
    title: Say it
    tool: tools/echo
    with: { message: "Hello, \${{ inputs.name }}!" }
  - id: slowly
    tool: tools/slow
    with: { ms: 20, steps: 2 }
outputs:
  greeting: "\${{ steps.hello.text }}"
  times: "\${{ inputs.times }}"
`;

describe('a run from the command line', () => {
  test('gives its outputs on stdout, and a line per event on stderr', async () => {
    const { code, stdout, stderr } = await baton(['run', 'greet', '-i', 'name=Ada', '-i', 'times=3', '--watch']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ greeting: 'Hello, Ada!', times: 3 });
    const lines = stderr.trim().split('\n');
    expect(lines.every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z . /u.test(line))).toBe(true);
    expect(stderr).toContain('hello started tools/echo');
    expect(stderr).not.toContain(escape);
    expect(lines.at(-1)).toContain('the run succeeded');
  });

  test('tells a program every event as one line of JSON', async () => {
    const { code, stdout, stderr } = await baton(['run', 'greet', '-i', 'name=Ada', '--watch', '--json']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run.requested', 'step.succeeded', 'run.finished']),
    );
  });

  test('says nothing until it is over with --wait, then prints the finished run', async () => {
    const ended = await baton(['run', 'greet', '-i', 'name=Grace', '--wait', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toBe('');
    expect(jsonIn(ended)).toMatchObject({ status: 'succeeded', outputs: { greeting: 'Hello, Grace!', times: 1 } });
  });

  test('only prints its id where nobody wants to wait, and the same key is the same run', async () => {
    const args = ['run', 'greet', '-i', 'name=Ada', '--idempotency-key', 'once'];
    const [first, second] = [await baton(args), await baton(args)];
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^[\da-f-]{36}\n$/);
    expect(second.stdout).toBe(first.stdout);
  });

  test('takes its inputs from stdin, and -i wins over them', async () => {
    const input = JSON.stringify({ name: 'Ada', times: 2 });
    const ended = await baton(['run', 'greet', '--inputs', '-', '-i', 'name=Grace', '--wait'], { input });
    expect(jsonIn(ended)).toEqual({ greeting: 'Hello, Grace!', times: 2 });
  });

  test('runs a file that was never deployed, from stdin too', async () => {
    const ended = await baton(['run', '-', '-i', 'name=Ada', '--wait'], { input: greet.replace('greet', 'try-out') });
    expect(jsonIn(ended)).toMatchObject({ greeting: 'Hello, Ada!' });
    expect((await baton(['runs', 'ls', '--workflow', 'try-out'])).stdout).toContain('succeeded');
  });

  test('is listed, shown as it was drawn, and shown as JSON', async () => {
    const { id } = jsonIn(await baton(['run', 'greet', '-i', 'name=Ada', '--wait', '--json', '--tag', 'shown']));
    const listed = await baton(['runs', 'ls', '--tag', 'shown']);
    expect(listed.stdout.split('\t').slice(0, 3)).toEqual([id, 'greet@1', 'succeeded']);
    const shown = await baton(['runs', 'show', String(id)]);
    expect(shown.stdout).toMatch(/^✓ Say it +tools\/echo/m);
    expect(shown.stdout).toContain('greeting: Hello, Ada!');
    expect(jsonIn(await baton(['runs', 'show', String(id), '--json']))).toMatchObject({ id, status: 'succeeded' });
    const watched = await baton(['runs', 'watch', String(id)]);
    expect(watched).toMatchObject({ code: 0 });
    expect(watched.stderr).toContain('the run succeeded');
  });

  test('cannot move the cursor of whoever looks at it', async () => {
    const hostile = `${escape}[2J${escape}]0;owned\u0007\u202E\r\nnext`;
    await write(
      'hostile.workflow.yaml',
      'workflow: hostile\ninputs: { it: { type: string } }\nsteps:\n  - id: stop\n    fail: "${{ inputs.it }}"\n',
    );
    const input = JSON.stringify({ it: hostile });
    const { code, stdout, stderr } = await baton(['run', './hostile.workflow.yaml', '--inputs', '-', '--watch'], {
      input,
    });
    expect(code).toBe(1);
    const shown = await baton(['runs', 'ls', '--workflow', 'hostile']);
    const json = await baton(['runs', 'ls', '--workflow', 'hostile', '--json']);
    for (const text of [stdout, stderr, shown.stdout, json.stdout]) {
      expect(text.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu)).toBe(null);
    }
    expect((JSON.parse(json.stdout) as [{ inputs: unknown }])[0].inputs).toEqual({ it: hostile });
  });

  test('is coloured where that is asked for, unless NO_COLOR forbids it', async () => {
    const id = String(jsonIn(await baton(['run', 'greet', '-i', 'name=Ada', '--wait', '--json']))['id']);
    expect((await baton(['runs', 'show', id], { env: { FORCE_COLOR: '1' } })).stdout).toContain(`${escape}[32m`);
    const plain = await baton(['runs', 'show', id], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain(escape);
  });
});

describe('the exit code', () => {
  test('is 1 where the run failed, and the reason comes last', async () => {
    const { code, stdout, stderr } = await baton(['run', './fails.workflow.yaml', '--watch']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/✗ stop .*\n {2}it was not to be\n$/);
  });

  test('is 7 where waiting timed out, and the run goes on; 8 where it was cancelled; 5 where it is over', async () => {
    const late = await baton(['run', './waits.workflow.yaml', '--wait', '--timeout', '50ms']);
    expect(late).toMatchObject({ code: 7, stdout: '' });
    const id = /runs watch (\S+)/.exec(late.stderr)?.[1] ?? '';
    const watching = begin(['runs', 'watch', id]);
    await watching.told('nap waits');
    expect(await baton(['runs', 'cancel', id, '--reason', 'enough'])).toMatchObject({ code: 0, stdout: '' });
    const cancelled = await watching.ended;
    expect(cancelled.code).toBe(8);
    expect(cancelled.stderr).toContain('nap was cancelled: enough');
    expect(await baton(['runs', 'cancel', id])).toMatchObject({ code: 5, stdout: '' });
  });

  test('is 130 after Ctrl-C, and the run goes on without its watcher', async () => {
    const watching = begin(['run', './waits.workflow.yaml', '--watch']);
    const id = /run (\S+) of waits/.exec(await watching.told('nap waits'))?.[1] ?? '';
    watching.signal('SIGINT');
    const { code, stderr } = await watching.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`baton runs watch ${id}`);
    expect(jsonIn(await baton(['runs', 'show', id, '--json']))).toMatchObject({ status: 'waiting' });
    await baton(['runs', 'cancel', id]);
  });

  test('is 3 for what is not there, with what can be done about it', async () => {
    const run = await baton(['run', 'greeet']);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toContain('baton deploy');
    expect((await baton(['runs', 'show', '019a0000-0000-7000-8000-000000000001'])).code).toBe(3);
    expect((await baton(['servers', 'tools', 'nobody'])).code).toBe(3);
    expect((await baton(['api', 'GET', '/v1/nothing'])).code).toBe(3);
  });

  test('is 4 for a key that is none', async () => {
    const { code, stdout, stderr } = await baton(['--api-key', 'not-a-key', 'runs', 'ls']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('BATON_API_KEY');
  });

  test('is 6 where nothing answers, and where something answers that is not Baton', async () => {
    const server = createServer(
      (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>hello</h1>'),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const other = await baton(['--url', elsewhere, 'runs', 'ls']);
    expect(other).toMatchObject({ code: 6, stdout: '' });
    expect(other.stderr).toContain('is not Baton');
    server.close();
    await once(server, 'close');
    const nobody = await baton(['--url', elsewhere, 'runs', 'ls']);
    expect(nobody).toMatchObject({ code: 6, stdout: '' });
    expect(nobody.stderr).toContain('nothing listens there');
    expect(nobody.stderr).toContain('baton dev');
  });

  test('is 2 for wrong usage, each time with a reason', async () => {
    const wrong: readonly (readonly [args: readonly string[], reason: string])[] = [
      [['rnu'], 'Did you mean run?'],
      [['run'], "missing required argument 'workflow'"],
      [['run', 'greet', '--bogus'], "unknown option '--bogus'"],
      [['run', 'greet', '--timeout', '1s'], '--timeout goes with'],
      [['run', 'greet', '--wait', '--timeout', 'soon'], 'no duration'],
      [['run', 'greet', '-i', 'name'], 'name=value'],
      [['run', 'greet', '-i', 'name=Ada', '-i', 'times=often'], 'a whole number'],
      [['run', 'greet', '-i', 'name=Eve'], 'Ada or Grace'],
      [['run', 'greet', '-i', 'name=Ada', '-i', 'tmies=2'], 'There is no "tmies"'],
      [['runs', 'ls', '--status', 'done'], 'queued, running'],
      [['check', 'nothing.yaml'], 'no such file'],
      [['--url', 'nowhere', 'runs', 'ls'], 'no http(s) address'],
    ];
    const ends = await Promise.all(wrong.map(([args]) => baton(args)));
    for (const [i, [args, reason]] of wrong.entries()) {
      const { code, stdout, stderr = '' } = ends[i] ?? {};
      const said = stderr.includes(reason) ? reason : stderr;
      expect({ args, code, stdout, said }).toEqual({ args, code: 2, stdout: '', said: reason });
    }
  });
});

describe('workflow files', () => {
  test('that are wrong are answered with a place, a frame and a hint', async () => {
    const { code, stdout } = await baton(['check', 'broken.workflow.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain('broken.workflow.yaml:4:5  error  missing-verb');
    expect(stdout).toMatch(/ 4 \| {5}tol: tools\/echo\n {4}\| {5}\^\^\^ /);
    expect(stdout).toContain('did you mean "tool"?');
    const run = await baton(['run', './broken.workflow.yaml']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('broken.workflow.yaml:4:5');
  });

  test('are checked against the servers where that is asked for', async () => {
    expect((await baton(['check', 'unknown.workflow.yaml'])).code).toBe(0);
    const { code, stdout } = await baton(['check', '--servers', 'unknown.workflow.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain('unknown.workflow.yaml:4:11  error  unknown-tool');
    expect(stdout).toContain('tools/echo');
    const run = await baton(['run', './unknown.workflow.yaml']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('unknown.workflow.yaml:4:11  error')]);
  });

  test('are deployed one by one, whatever becomes of the others', async () => {
    const dry = await baton(['deploy', '--dry-run', 'unknown.workflow.yaml']);
    expect(dry).toMatchObject({ code: 2, stdout: 'unknown.workflow.yaml\trefused\n' });
    const { code, stdout } = await baton([
      'deploy',
      'broken.workflow.yaml',
      'waits.workflow.yaml',
      'greet.workflow.yaml',
    ]);
    expect(code).toBe(2);
    expect(stdout.trim().split('\n')).toEqual([
      'broken.workflow.yaml\trefused',
      'waits@1\tdeployed\twaits.workflow.yaml',
      'greet@1\tunchanged\tgreet.workflow.yaml',
    ]);
  });

  test('that init writes are right, run as they are, and are never written over', async () => {
    const first = await baton(['init', 'flows']);
    expect(first.code).toBe(0);
    expect(first.stdout.trim().split('\n')).toContain(join('flows', 'hello.workflow.yaml'));
    expect((await baton(['check', '--servers', 'flows'])).code).toBe(0);
    const ended = await baton(['run', './flows/hello.workflow.yaml', '-i', 'name=Ada', '--wait']);
    expect(jsonIn(ended)).toEqual({ greeting: 'Hello, Ada!' });
    await write('flows/hello.workflow.yaml', 'mine');
    const again = await baton(['init', 'flows']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain('stays as it is');
  });
});

describe('what there is', () => {
  test('servers and their tools are rows for a program', async () => {
    expect((await baton(['servers', 'ls'])).stdout).toMatch(/^tools\tstdio\t/);
    const tools = await baton(['servers', 'tools', 'tools']);
    expect(tools.stdout).toContain('echo\tread\t');
    const listed = JSON.parse((await baton(['servers', 'tools', 'tools', '--json'])).stdout) as { name: string }[];
    expect(listed.map(({ name }) => name)).toContain('echo');
  });

  test('settings are shown with their source, secrets masked', async () => {
    const env = { BATON_PORT: '4500', BATON_ADMIN_KEY: 'a-key-that-nobody-may-ever-see-0123456789' };
    const { code, stdout } = await baton(['settings'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('BATON_PORT\t4500\tenvironment');
    expect(stdout).not.toContain('nobody-may-ever-see');
  });

  test('the API can be asked as it is', async () => {
    const started = await baton([
      'api',
      'POST',
      'runs',
      '-f',
      'workflow=greet',
      '-f',
      'inputs={"name":"Ada"}',
      '--include',
    ]);
    expect(started.code).toBe(0);
    expect(started.stdout).toMatch(/^202\n/);
    const refused = await baton(['api', 'POST', 'runs', '-f', 'workflow=greet', '-f', 'inputs={"name":"Eve"}']);
    expect(refused.code).toBe(2);
    expect(jsonIn(refused)).toMatchObject({ status: 422, errors: [{ pointer: '/inputs/name' }] });
  });

  test('completion knows commands, options and names', async () => {
    const words = async (...line: string[]): Promise<string[]> =>
      (await baton(['__complete', '--', ...line])).stdout
        .trim()
        .split('\n')
        .map((one) => one.split('\t')[0] ?? '');
    expect(await words('runs', '')).toEqual(expect.arrayContaining(['ls', 'show', 'watch', 'cancel']));
    expect(await words('run', 'gr')).toEqual(['greet']);
    expect(await words('check', '--format', '')).toEqual(['text', 'json', 'github', 'sarif']);
    expect((await baton(['completion', 'bash'])).stdout).toContain('__complete');
  });

  test('help stands on stdout', async () => {
    for (const args of [[], ['--help'], ['run', '--help'], ['help', 'runs', 'ls'], ['help', 'exit-codes']]) {
      const { code, stdout, stderr } = await baton(args);
      expect({ args, code, stderr, isThere: stdout.length > 100 }).toEqual({
        args,
        code: 0,
        stderr: '',
        isThere: true,
      });
    }
  });
});

describe('who may do what', () => {
  test('a question is listed, answered in the form it asks for, and only once', async () => {
    await write(
      'asks.workflow.yaml',
      `workflow: asks
steps:
  - id: sure
    ask: May it go out?
    form: { type: object, properties: { approve: { type: boolean } }, required: [approve] }
  - id: paid
    wait: { signal: paid }
outputs: { approve: "\${{ steps.sure.output.approve }}", amount: "\${{ steps.paid.output.amount }}" }
`,
    );
    const watching = begin(['run', './asks.workflow.yaml', '--watch']);
    const run = /run (\S+) of asks/.exec(await watching.told('May it go out?'))?.[1] ?? '';
    const listed = JSON.parse((await baton(['answer', '--json'])).stdout) as { id: string; runId: string }[];
    const question = listed.find(({ runId }) => runId === run)?.id ?? '';
    expect((await baton(['answer', question, '-i', 'approve=perhaps'])).code).toBe(2);
    expect((await baton(['answer', question])).stderr).toContain('approve');
    expect((await baton(['answer', question, '-i', 'approve=true'])).code).toBe(0);
    expect((await baton(['answer', question, '-i', 'approve=false'])).code).toBe(5);
    expect((await baton(['signal', run, 'paid', '-i', 'amount=12'])).code).toBe(0);
    const ended = await watching.ended;
    expect({ code: ended.code, outputs: jsonIn(ended) }).toEqual({ code: 0, outputs: { approve: true, amount: 12 } });
  });

  test('a secret comes from stdin, and its value is never told', async () => {
    expect((await baton(['secrets', 'set', 'TOKEN'], { input: 'hush-hush\n' })).code).toBe(0);
    const { stdout } = await baton(['secrets', 'ls', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    expect(stdout).not.toContain('hush-hush');
    expect((await baton(['secrets', 'rm', 'TOKEN'])).code).toBe(0);
    expect((await baton(['secrets', 'rm', 'TOKEN'])).code).toBe(3);
  });

  test('a key may do what it was made for, until it is revoked', async () => {
    const made = jsonIn(await baton(['keys', 'create', 'reader', '-s', 'runs:read', '--json']));
    const env = { BATON_API_KEY: String(made['key']) };
    expect((await baton(['runs', 'ls'], { env })).code).toBe(0);
    const refused = await baton(['secrets', 'ls'], { env });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('secrets:write');
    expect((await baton(['keys', 'revoke', String(made['id'])])).code).toBe(0);
    expect((await baton(['runs', 'ls'], { env })).code).toBe(4);
  });

  test('a schedule tells its instants, is paused, and makes up for the past once', async () => {
    const text = 'workflow: nightly\non:\n  - schedule: "0 3 * * *"\nsteps:\n  - set: { done: true }\n';
    await write('nightly.workflow.yaml', text);
    expect((await baton(['deploy', 'nightly.workflow.yaml'])).code).toBe(0);
    const [id = ''] = (await baton(['schedules', 'ls', '-w', 'nightly'])).stdout.split('\t');
    expect((await baton(['schedules', 'next', id])).stdout).toMatch(/^(\d{4}-\d\d-\d\dT03:00:00.000Z\n){5}$/);
    expect((await baton(['schedules', 'pause', id])).code).toBe(0);
    expect((await baton(['schedules', 'ls', '-w', 'nightly'])).stdout).toContain('paused');
    const span = ['schedules', 'backfill', id, '--from', '2020-01-01T00:00:00Z', '--to', '2020-01-01T12:00:00Z'];
    expect((await baton([...span, '--preview'])).stdout).toBe('2020-01-01T03:00:00.000Z\n');
    expect((await baton(span)).stdout).toBe('2020-01-01T03:00:00.000Z\n');
    expect(await baton(span)).toMatchObject({ code: 0, stdout: '' });
  });
});

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { FreshDatabase } from '@baton/testing';
import { brokenServer, freshDatabase, toolsServer } from '@baton/testing';
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

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let database: FreshDatabase;
let folder: string;
let url: string;
let endStack: () => Promise<void>;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

const startIn = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [mainFile, ...args], { cwd: folder, env: { ...bare, ...env } });
  running.add(child);
  child.once('close', () => running.delete(child));
  child.stdin.end();
  return child;
};

async function baton(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = startIn(args, { BATON_URL: url, BATON_DATA: join(folder, 'data'), ...env });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    readAll(child.stdout),
    readAll(child.stderr),
  ]);
  return { code, stdout, stderr };
}

const told = (stream: NodeJS.ReadableStream, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(text)) resolve(said);
    });
    stream.on('end', () => reject(new Error(`it ended before it said "${text}":\n${said}`)));
  });

const flow = `
workflow: flow
inputs: { end: { type: string }, times: { type: integer, default: 1 } }
steps:
  - { id: book, tool: tools/echo, effect: write, with: { message: booked } }
  - { id: look, tool: tools/echo, with: { message: looked } }
  - switch:
      - when: inputs.end == "bad"
        steps:
          - { id: stop, fail: it is bad }
outputs: { end: "\${{ inputs.end }}", times: "\${{ inputs.times }}" }
`;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'baton-again-'));
  const servers = { tools: toolsServer(join(folder, 'ledger')), broken: brokenServer('exits') };
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  await writeFile(join(folder, 'flow.workflow.yaml'), flow);
  const stack = startIn(['dev', '--port', '0', '--data', 'data'], { DATABASE_URL: database.url });
  endStack = async () => {
    stack.kill('SIGTERM');
    if (stack.exitCode === null && stack.signalCode === null) await once(stack, 'close');
  };
  const greeting = await told(stack.stderr, 'Ctrl-C ends it');
  url = /http:\/\/[\d.:]+/.exec(greeting)?.[0] ?? '';
  const deployed = await baton(['deploy', 'flow.workflow.yaml']);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
});

afterAll(async () => {
  await endStack();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const jsonIn = ({ stdout }: Ended): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

async function ran(end: string): Promise<string> {
  return String(jsonIn(await baton(['run', 'flow', '-i', `end=${end}`, '-i', 'times=4', '--wait', '--json']))['id']);
}

describe('a finished run, once more', () => {
  test('is retried with what was won; its id stands on stdout, what it does again on stderr', async () => {
    const id = await ran('bad');
    const retried = await baton(['runs', 'retry', id]);
    expect(retried.code).toBe(0);
    expect(retried.stdout).toMatch(/^[\da-f-]{36}\n$/);
    expect(retried.stderr).toContain('The outcomes of 2 steps are kept. No call that was made is made again.');
    expect((await baton(['runs', 'watch', retried.stdout.trim()])).code).toBe(1);
    expect(jsonIn(await baton(['runs', 'show', retried.stdout.trim(), '--json']))).toMatchObject({ rerunOf: id });
  });

  test('is done again from a step on, and a preview tells which calls are made again', async () => {
    const id = await ran('good');
    expect((await baton(['runs', 'retry', id])).code).toBe(5);
    const preview = await baton(['runs', 'rerun', id, '--preview']);
    expect(preview).toMatchObject({
      code: 0,
      stdout: 'book\ttools/echo\twrite\tsucceeded\nlook\ttools/echo\tread\tsucceeded\n',
    });
    const rerun = await baton(['runs', 'rerun', id, '--from', 'look', '--json']);
    expect(jsonIn(rerun)).toMatchObject({ rerunOf: id, kept: 1, again: [{ path: 'look', effect: 'read' }] });
    const wrong = await baton(['runs', 'rerun', id, '--from', 'loook']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('look');
  });

  test('takes one input anew and keeps the others, and shows how it goes', async () => {
    const id = await ran('bad');
    const watched = await baton(['runs', 'rerun', id, '-i', 'end=good', '--watch', '--idempotency-key', 'anew']);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toContain('"end": "good"');
    expect(watched.stdout).toContain('"times": 4');
    expect(watched.stderr).toContain('book: tools/echo (write), before: succeeded');
    const refused = await baton(['runs', 'rerun', id, '-i', 'times=often']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a server', () => {
  test('is tried when somebody asks for it', async () => {
    const tried = await baton(['servers', 'test', 'tools']);
    expect(tried.code).toBe(0);
    expect(tried.stdout).toMatch(/^tools answers: .*MCP \d{4}-\d\d-\d\d, \d+ tools, 0 prompts, 0 resources\n$/);
    const broken = await baton(['servers', 'test', 'broken']);
    expect(broken).toMatchObject({ code: 6, stdout: '' });
    expect(broken.stderr).toContain('broken');
  });
});

describe('the doctor', () => {
  const states = ({ stdout }: Ended): Map<string, string> =>
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
    const nobody = await baton(['doctor', '--json'], env);
    expect(nobody.code).toBe(1);
    expect(states(nobody)).toEqual(
      new Map([
        ['settings', 'wrong'],
        ['api', 'wrong'],
      ]),
    );
    const stranger = await baton(['doctor', '--json'], { BATON_API_KEY: 'not-a-key' });
    expect([stranger.code, states(stranger).get('key')]).toEqual([1, 'wrong']);
  });
});

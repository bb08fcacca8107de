/** Whole processes of Baton in an environment: that runs succeed there, or that a start is refused. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Client, createClient } from '@baton/api/client';

import { pause } from '../pause.ts';
import { ended } from './command.ts';

type Environment = Readonly<Record<string, string>>;

const serverFile = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url));
/** Of the administrator. */
export const key = 'operate-operate-operate-operate-operate';
const runsInAll = 40;
const workflow = `workflow: tried
steps:
  - wait: 200ms
  - id: made
    set: { done: true }
`;

interface StartedServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: () => string;
}

async function startServer(folder: string, env: Environment): Promise<StartedServer> {
  const child = spawn(process.execPath, [serverFile], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      BATON_DATA: folder,
      BATON_PORT: '0',
      BATON_ADMIN_KEY: key,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`the server did not start: ${log}`)));
  // It also ends when it is stopped.
  failed.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Record<string, unknown>];
  if (typeof ready['url'] !== 'string') throw new Error(`the server did not start: ${JSON.stringify(ready)}`);
  return { url: ready['url'], child, log: () => log };
}

async function stopServer({ child }: StartedServer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** One server in this environment, for as long as it is used. */
export async function withServer<Result>(env: Environment, use: (url: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-operate-'));
  try {
    const server = await startServer(folder, env);
    try {
      return await use(server.url);
    } finally {
      await stopServer(server);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Trial {
  /** In the middle of the runs; `url`: where clients find Baton. */
  readonly disturb?: (url: string, first: ChildProcess) => Promise<void>;
  /** Puts something before the servers; its address. */
  readonly front?: (urls: readonly string[]) => Promise<string>;
  /** What `/readyz` must say of the queue in the end. Default: `ok`. */
  readonly queue?: RegExp;
  /** Called in the end. */
  readonly look?: (url: string, key: string) => Promise<string>;
}

/** Two servers, and runs that all must succeed. */
export async function triedRuns(
  env: Environment,
  { disturb, front, queue = /"ok"/, look }: Trial = {},
): Promise<string> {
  const folders = await Promise.all(['a', 'b'].map((name) => mkdtemp(join(tmpdir(), `baton-operate-${name}-`))));
  const secret = { BATON_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  const servers: StartedServer[] = [];
  try {
    for (const folder of folders) servers.push(await startServer(folder, { ...secret, ...env }));
    const [first] = servers;
    if (first === undefined) throw new Error('no server was started');
    const url = (await front?.(servers.map((one) => one.url))) ?? first.url;
    const client = createClient({ url, key, retries: 30 });
    await client.workflows.deploy(workflow);
    const seconds = await runAll(client, async () => disturb?.(url, first.child));
    await saysOfQueue(url, queue);
    const seen = await look?.(url, key);
    const sorted = seconds.toSorted((a, b) => a - b);
    const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
    const told = `${runsInAll} of ${runsInAll} runs succeeded (p50 ${at(0.5)} s, longest ${at(1)} s)`;
    return seen === undefined ? told : `${told}; ${seen}`;
  } catch (error) {
    const logs = servers.map(({ log }) => log().slice(-1_500)).join('\n');
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${logs}`, { cause: error });
  } finally {
    await Promise.all(servers.map(stopServer));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** How long each took, from the request on. */
async function runAll(client: Client, disturb: () => Promise<void>): Promise<number[]> {
  const seconds: number[] = [];
  const all: Promise<string>[] = [];
  for (let n = 0; n < runsInAll; n += 1) {
    if (n === runsInAll / 2) await disturb();
    const began = performance.now();
    const ran = client.runs.start('tried', {}).then(({ id }) => client.runs.wait(id));
    all.push(
      ran.then(({ status }) => {
        seconds.push((performance.now() - began) / 1_000);
        return status;
      }),
    );
    await pause(100);
  }
  const failed = (await Promise.all(all)).filter((status) => status !== 'succeeded');
  if (failed.length > 0) throw new Error(`${failed.length} of ${runsInAll} runs did not succeed: ${failed.join()}`);
  return seconds;
}

async function saysOfQueue(url: string, expected: RegExp): Promise<void> {
  let said = '';
  for (let left = 100; left > 0; left -= 1) {
    const response = await fetch(`${url}/readyz`);
    const body = (await response.json()) as { parts?: Record<string, unknown> };
    said = JSON.stringify(body.parts?.['queue']);
    if (expected.test(said)) return;
    await pause(200);
  }
  throw new Error(`/readyz says of the queue: ${said}`);
}

/** A start that ends with 2 and one line, which this fits; the line's sentence. */
export async function refusedStart(env: Environment, expected: RegExp): Promise<string> {
  const { code, output } = await ended('apps/server/src/main.ts', [], { LOG_LEVEL: 'error', ...env });
  const lines = output.trim().split('\n');
  const { msg = '' } = JSON.parse(lines.at(-1) ?? '{}') as { msg?: string };
  if (code !== 2 || lines.length !== 1 || !expected.test(msg)) throw new Error(`it ended with ${code}: ${output}`);
  return msg;
}

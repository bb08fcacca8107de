/**
 * `npm run upgrade:test`: from the release before to this clone. Runs that wait and runs that are under way are taken
 * over and end as they would have; and orchestrators and workers are exchanged one by one while runs come in: for their own
 * kinds, for servers, and for the release before again. `-- WORDS`: only the parts whose names have them.
 *
 * The release before is checked out and installed into a temporary folder: it takes some minutes.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Client, type Run, createClient } from '@baton/api/client';
import { freePort, temporaryPostgres } from '@baton/boot';
import { readLedger, toolsServer } from '@baton/testing';

import { pause } from '../pause.ts';
import { type StartedApp, startApp } from './processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Of the release before, or what BATON_UPGRADE_FROM names. */
const commit = process.env['BATON_UPGRADE_FROM'] ?? 'f73518f';
const key = 'of-the-upgrade-test-and-of-nothing-else';

function check(holds: boolean, what: string, more: unknown = ''): void {
  process.stdout.write(`${holds ? '✓' : '✗'} ${what}${holds ? '' : ` ${JSON.stringify(more)}`}\n`);
  if (!holds) process.exitCode = 1;
}

function must(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

const workflows: Readonly<Record<string, string>> = {
  asks: `
workflow: asks
steps:
  - { id: ok, ask: "Go on?", form: { approve: { type: boolean } } }
  - { id: after, tool: tools/write, effect: write }
outputs: { approved: "\${{ steps.ok.output.approve }}" }
`,
  listens: `
workflow: listens
steps:
  - { id: came, wait: { signal: go } }
outputs: { came: "\${{ steps.came.output }}" }
`,
  sleeps: `
workflow: sleeps
steps:
  - { id: before, tool: tools/write, effect: write }
  - { id: while, wait: 20s }
outputs: { slept: "\${{ steps.before.text }}" }
`,
  works: `
workflow: works
steps:
  - { id: before, tool: tools/write, effect: write }
  - { id: long, tool: tools/slow, effect: read, timeout: 5m, with: { ms: 15000 } }
outputs: { text: "\${{ steps.long.text }}" }
`,
  counts: `
workflow: counts
steps:
  - id: each
    forEach: "\${{ [1, 2, 3, 4, 5, 6] }}"
    as: n
    maxParallel: 1
    steps:
      - { id: pause, wait: 3s }
      - { id: one, tool: tools/write, effect: write }
outputs: { count: "\${{ size(steps.each.output) }}" }
`,
  quick: `
workflow: quick
steps:
  - { id: first, tool: tools/write, effect: write }
  - { id: second, tool: tools/echo, with: { message: done } }
outputs: { text: "\${{ steps.second.text }}" }
`,
};

interface Installation {
  readonly env: Readonly<Record<string, string>>;
  readonly ledger: string;
  stop(): Promise<void>;
}

async function openInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-upgrade-'));
  const postgres = await temporaryPostgres();
  const ledger = join(folder, 'ledger');
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { tools: toolsServer(ledger) } }));
  const env = {
    DATABASE_URL: postgres.url,
    BATON_DATA: join(folder, 'data'),
    BATON_SERVERS: join(folder, 'mcp.json'),
    BATON_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    BATON_ADMIN_KEY: key,
    SHUTDOWN_GRACE: '1s',
  };
  const stop = async (): Promise<void> => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, ledger, stop };
}

/** What the processes of the release before are exchanged for. */
type Next = 'apart' | 'servers';

async function startNext(next: Next, installation: Installation): ReturnType<typeof startBoth> {
  if (next === 'apart') return startBoth(root, installation);
  const url = `http://127.0.0.1:${await freePort()}`;
  const server = await startApp(root, 'server', { ...installation.env, BATON_PORT: new URL(url).port });
  return { client: createClient({ url, key }), stop: () => server.stop() };
}

async function startBoth(clone: string, { env }: Installation): Promise<{ client: Client; stop(): Promise<void> }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const orchestrator = await startApp(clone, 'orchestrator', { ...env, BATON_PORT: new URL(url).port });
  const worker = await startApp(clone, 'worker', { ...env, BATON_URL: url });
  const stop = async (): Promise<void> => {
    await Promise.all([worker.stop(), orchestrator.stop()]);
  };
  return { client: createClient({ url, key }), stop };
}

/** Follows a run until `holds` of one of its events. */
async function until(client: Client, id: string, holds: (type: string, path: string) => boolean): Promise<void> {
  for await (const { event } of client.runs.follow(id))
    if (holds(event.type, 'path' in event ? event.path : '')) return;
}

/** Waiting and under way, as `f73518f` left them. */
async function takeOver(before: string, next: Next): Promise<void> {
  const installation = await openInstallation();
  try {
    const old = await startBoth(before, installation);
    for (const text of Object.values(workflows)) await old.client.workflows.deploy(text);
    const ended = await old.client.runs.start('quick');
    await old.client.runs.wait(ended.id);
    const ids: Record<string, string> = {};
    for (const name of ['asks', 'listens', 'sleeps', 'works', 'counts'])
      ids[name] = (await old.client.runs.start(name)).id;
    const isUp = (type: string, path: string): boolean =>
      (type === 'step.waiting' && /^(ok|came|while)$/.test(path)) ||
      (type === 'step.started' && path === 'long') ||
      type === 'item.finished';
    await Promise.all(Object.values(ids).map((id) => until(old.client, id, isUp)));
    await old.stop();
    const now = await startNext(next, installation);
    const { client } = now;
    check((await client.runs.get(ended.id)).status === 'succeeded', `${next}: a run that had ended is shown`);
    for await (const { id, runId } of client.questions.all())
      if (runId === ids['asks']) await client.questions.answer(id, { approve: true });
    await client.runs.signal(ids['listens'] ?? '', 'go', 'here');
    const expected: Readonly<Record<string, unknown>> = {
      asks: { approved: true },
      listens: { came: 'here' },
      sleeps: { slept: 'written' },
      works: { text: 'done' },
      counts: { count: 6 },
    };
    for (const [name, id] of Object.entries(ids)) {
      const run: Run = await client.runs.wait(id);
      const holds = run.status === 'succeeded' && JSON.stringify(run.outputs) === JSON.stringify(expected[name]);
      check(holds, `${next}: ${name}: goes on and ends as it would have`, [run.status, run.outputs, run.error]);
    }
    // quick 1, asks 1, sleeps 1, works 1, counts 6.
    const writes = readLedger(installation.ledger).filter(({ call }) => call === 'write').length;
    check(writes === 10, `${next}: no write was made twice, and none is missing`, writes);
    const problem = await auditProblem(client);
    check(problem === undefined, `${next}: the audit trail is intact`, problem);
    await now.stop();
  } finally {
    await installation.stop();
  }
}

const auditProblem = async (client: Client): Promise<unknown> => (await client.audit.verify()).problem;

interface Exchange {
  readonly name: string;
  /** Clones. */
  readonly from: string;
  readonly to: string;
  readonly next: Next;
  /** What is exchanged first. */
  readonly first: 'orchestrators' | 'workers';
}

/** Two of each, exchanged one by one, while runs are started all the time. Servers take the place of both. */
async function roll({ name, from, to, next, first }: Exchange): Promise<void> {
  const installation = await openInstallation();
  const { env } = installation;
  try {
    const ports = [await freePort(), await freePort()];
    const accepting = (clone: string, port: number): Promise<StartedApp> =>
      startApp(clone, clone === to && next === 'servers' ? 'server' : 'orchestrator', {
        ...env,
        BATON_PORT: String(port),
      });
    const worker = (clone: string): Promise<StartedApp> =>
      startApp(clone, 'worker', { ...env, BATON_URL: `http://127.0.0.1:${ports[0]}` });
    const orchestrators = [await accepting(from, ports[0] ?? 0), await accepting(from, ports[1] ?? 0)];
    const workers = [await worker(from), await worker(from)];
    const clients = ports.map((port) => createClient({ url: `http://127.0.0.1:${port}`, key }));
    await clients[0]?.workflows.deploy(workflows['quick'] ?? '');
    const feeder = new Feeder(clients);
    const feeding = feeder.run();
    const exchangeOrchestrators = async (): Promise<void> => {
      for (const [i, one] of orchestrators.entries()) {
        await one.stop();
        orchestrators[i] = await accepting(to, ports[i] ?? 0);
      }
    };
    if (first === 'orchestrators') await exchangeOrchestrators();
    for (const [i, one] of workers.entries()) {
      await one.stop();
      if (next === 'apart') workers[i] = await worker(to);
    }
    if (first === 'workers') await exchangeOrchestrators();
    // The servers are alone now.
    if (next === 'servers') await feeder.more(100);
    feeder.stop();
    const ids = await feeding;
    const [client] = clients;
    if (client === undefined) throw new Error('there is no client');
    const statuses = new Map<string, number>();
    for (const id of ids) {
      const { status } = await client.runs.wait(id);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const isAll = statuses.get('succeeded') === ids.length;
    check(isAll, `${name}: all of ${ids.length} runs that were accepted succeeded`, [...statuses]);
    const writes = readLedger(installation.ledger).filter(({ call }) => call === 'write').length;
    check(writes === ids.length, `${name}: every run has written once`, writes);
    const problem = await auditProblem(client);
    check(problem === undefined, `${name}: the audit trail is intact`, problem);
    await Promise.all([...(next === 'apart' ? workers : []), ...orchestrators].map((one) => one.stop()));
  } finally {
    await installation.stop();
  }
}

/** Starts runs one after the other, at the orchestrator that answers. */
class Feeder {
  readonly #clients: readonly Client[];
  #accepted = 0;
  #isOver = false;

  constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Resolves when so many more runs were accepted. */
  async more(count: number): Promise<void> {
    for (const until = this.#accepted + count; this.#accepted < until;) await pause(50);
  }

  async run(): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (let n = 0; !this.#isOver; n += 1) {
      const id = await this.#start(`run-${n}`);
      ids.add(id);
      this.#accepted = ids.size;
      // As many as are done: what is measured is that none is lost, and not how many can wait.
      if (n % 10 === 9) await this.#ended(id);
    }
    return [...ids];
  }

  async #ended(id: string): Promise<void> {
    for (let n = 0; ; n += 1) {
      const client = this.#clients[n % this.#clients.length];
      const run = await client?.runs.wait(id).catch(() => undefined);
      if (run !== undefined) return;
    }
  }

  /** The same key at every orchestrator, until one of them answers: a lost answer makes no second run. */
  async #start(idempotencyKey: string): Promise<string> {
    for (let n = 0; ; n += 1) {
      const client = this.#clients[n % this.#clients.length];
      const started = await client?.runs.start('quick', {}, { idempotencyKey }).catch(() => undefined);
      if (started !== undefined) return started.id;
    }
  }
}

/** A clone that is installed already, in the place of a new one. */
const given = process.env['BATON_UPGRADE_CLONE'];
const before = given ?? mkdtempSync(join(tmpdir(), 'baton-before-'));
try {
  if (given === undefined) {
    must('git', ['worktree', 'add', '--detach', '--force', before, commit], root);
    must(process.execPath, [join(before, 'scripts/setup.mjs')], before);
  }
  const to = { from: before, to: root, first: 'orchestrators' } as const;
  const parts: Readonly<Record<string, () => Promise<void>>> = {
    'taken over, apart': () => takeOver(before, 'apart'),
    'rolling, apart': () => roll({ ...to, name: 'rolling, apart', next: 'apart' }),
    'taken over, servers': () => takeOver(before, 'servers'),
    'rolling, servers': () => roll({ ...to, name: 'rolling, servers', next: 'servers' }),
    'the way back': () => roll({ name: 'the way back', from: root, to: before, next: 'apart', first: 'workers' }),
  };
  const words = process.argv.slice(2);
  for (const [name, part] of Object.entries(parts)) if (words.every((word) => name.includes(word))) await part();
} finally {
  if (given === undefined) must('git', ['worktree', 'remove', '--force', before], root);
}
process.exit();

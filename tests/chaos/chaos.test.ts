/**
 * Goal: real processes on real Postgres and Redis keep their promises while everything is killed, stopped, cut and
 * emptied, and are as they were when it is over.
 * Method: two orchestrators and three workers (or servers, or both: `mixes`); clients that ask until they are answered, with the same key; each fault
 * once, in an order of the seed's. Then the journal, the tool server's own ledger and the streams of events are read.
 * `npm run chaos` is the same for longer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AuditVerifier, openStore } from '@baton/store';
import { faultProxy, ownPostgres, readLedger, startRedis, toolsServer, testSecretKey } from '@baton/testing';
import { afterEach, expect, inject, test } from 'vitest';

import { type InstallationOptions, Installation, isAlive } from '../installation.ts';
import { pause } from '../pause.ts';
import { Random } from '../sim/random.ts';
import { examine, healingOf, placesOf } from './evidence.ts';
import { type DoneFault, type StoppedHeartbeats, type Victims, endedByThemselves, torment } from './faults.ts';
import { canPairPostgres, postgresPair } from './postgresPair.ts';

const seconds = Number(process.env['BATON_CHAOS_SECONDS'] ?? 1);
/** `npm run chaos`: what it took to heal is told. */
const isLong = process.env['BATON_CHAOS_SECONDS'] !== undefined;
const seed = process.env['BATON_CHAOS_SEED'] ?? '1';
const only = (process.env['BATON_CHAOS_FAMILIES'] ?? '').split(',').filter((family) => family !== '');

interface Mix extends Pick<InstallationOptions, 'workers' | 'orchestrators'> {
  readonly furtherServers: number;
}

/** How many processes of each kind. */
const mixes: Readonly<Record<string, Mix>> = {
  apart: { orchestrators: 2, workers: 3, furtherServers: 0 },
  servers: { furtherServers: 2 },
  mixed: { orchestrators: 1, workers: 1, furtherServers: 2 },
};
const { furtherServers = 0, ...roles } = mixes[process.env['BATON_CHAOS_MIX'] ?? 'apart'] ?? {};

const workflow = `workflow: chaos
inputs: { text: { type: string } }
steps:
  - id: look
    tool: work/echo
    with: { message: "look \${{ secrets.CANARY }} \${{ size(inputs.text) }}" }
  - id: charge
    tool: work/stubborn
    with: { ms: 300 }
    onError: ignore
  - parallel:
      - id: slow
        tool: work/slow
        with: { ms: 400 }
      - id: book
        tool: work/stubborn
        with: { ms: 200 }
        ifUnknown: retry
        retry: { attempts: 20, delay: 100ms, maxDelay: 1s }
  - wait: 300ms
  - id: mail
    tool: work/write
    onError: ignore
outputs: { characters: "\${{ size(inputs.text) }}" }
`;

/** Its runs wait for each other. */
const lining = `workflow: lining
concurrency: { limit: 2 }
steps:
  - { wait: 200ms }
`;

/** One of so many runs is one that waits for others. */
const liningEvery = 4;
/** More than fits into an event: workers read it from a table of its own. A run without it begins where it is accepted. */
const characters = 70_000;
const smallEvery = 2;
/** On a machine that is too busy for this, the heartbeats of workers to which nothing is done are late as well. */
const heartbeatMostMs = 1_500;
const isLate = ({ beforeMs, meanwhileMs }: StoppedHeartbeats): boolean =>
  meanwhileMs > Math.max(heartbeatMostMs, 2 * beforeMs);

/** Told to each run's first tool, which says it again. */
const canary = 'canary-5f1c9e7a2b';

const folder = mkdtempSync(join(tmpdir(), 'baton-chaos-'));
/** Each fault lasts a second at least: five runs begin meanwhile, and those that began before go on. */
const askEveryMs = 200;
/** From so many on, clients ask less often. */
const manyRuns = 200;

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  rmSync(folder, { recursive: true });
});

async function startPostgres(): Promise<Pick<Victims, 'postgres' | 'pair' | 'network'>> {
  const pair = isLong && canPairPostgres() ? await postgresPair() : undefined;
  const postgres = pair ?? (await ownPostgres({ max_connections: '200' }));
  ends.push(() => postgres.remove());
  const { hostname, port } = new URL(postgres.url);
  const network = await faultProxy(() => pair?.address ?? { host: hostname, port: Number(port) });
  ends.push(() => network.close());
  return { postgres, pair, network };
}

async function start(): Promise<Victims> {
  const { postgres, pair, network } = await startPostgres();
  const redis = { server: await startRedis({ folder }), folder };
  ends.push(() => redis.server.stop());
  const baton = await Installation.start({
    servers: { work: { ...toolsServer(join(folder, 'ledger')), baton: { concurrency: 20 } } },
    ...roles,
    redisUrl: redis.server.url,
    databaseUrl: postgres.url,
    databasePort: network.port,
    env: { SHUTDOWN_GRACE: '10s', LOG_LEVEL: 'error' },
  });
  ends.push(() => baton.stop());
  for (let n = 0; n < furtherServers; n += 1) await baton.startServer();
  return { baton, postgres, pair, network, redis, ended: new Set(), heartbeats: isLong ? [] : undefined };
}

/** Starts runs, one every so often, through whichever orchestrator answers. */
class Clients {
  readonly #baton: Installation;
  readonly #random: Random;
  readonly #key: string;
  readonly acknowledged = new Map<string, string>();
  readonly #asking = new Set<Promise<void>>();
  #asked = 0;
  #isOver = false;

  constructor(baton: Installation, random: Random, key: string) {
    this.#baton = baton;
    this.#random = random;
    this.#key = key;
  }

  /** On a machine where the faults take minutes it becomes slower: each run is read to its end afterwards. */
  async go(everyMs: number): Promise<void> {
    while (!this.#isOver) {
      this.ask();
      await pause(everyMs * Math.max(1, this.#asked / manyRuns));
    }
  }

  /** The key that it goes by. */
  ask(): string {
    this.#asked += 1;
    const key = `wish-${this.#asked}`;
    const isLining = this.#asked % liningEvery === 0;
    const text = this.#asked % smallEvery === 0 ? key : key.padEnd(characters);
    const order = isLining ? { workflow: 'lining' } : { workflow: 'chaos', inputs: { text } };
    const asking = this.#insist(key, order).finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
    return key;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    while (this.#asking.size > 0) await Promise.all(this.#asking);
  }

  /** Asks with the same key until there is an answer, because no answer says nothing. */
  async #insist(key: string, order: object): Promise<void> {
    for (;;) {
      const { ready, child } = this.#random.pick(this.#baton.orchestrators);
      const answer = await fetch(`${String(ready['url'])}/v1/runs`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ ...order, tags: [key] }),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      if (answer?.status === 202) {
        const { id } = (await answer.json()) as { id: string };
        this.acknowledged.set(key, id);
        return;
      }
      await answer?.body?.cancel();
      // The port of a killed orchestrator may belong to the server of another test by now.
      const isStranger = !isAlive(child);
      // 409: the request before, which was given up here, is still being served there.
      const isToBeAskedAgain = isStranger || answer === undefined || answer.status >= 429 || answer.status === 409;
      if (!isToBeAskedAgain) throw new Error(`${answer.status} for ${key}`);
      await pause(200);
    }
  }
}

interface TormentedRuns {
  /** Everything that was asked for. */
  readonly all: readonly string[];
  /** What was asked for when all was well again. */
  readonly last: readonly string[];
  readonly faults: readonly DoneFault[];
}

async function goThroughIt(victims: Victims): Promise<TormentedRuns> {
  const { baton } = victims;
  const random = new Random(seed);
  await baton.api('PUT', '/v1/secrets/CANARY', { value: canary });
  await baton.deploy(workflow);
  await baton.deploy(lining);
  const key = (await readFile(join(baton.folder, 'admin-key'), 'utf8')).trim();
  const clients = new Clients(baton, random.stream('clients'), key);
  const going = clients.go(askEveryMs);
  const faults = await torment(victims, random.stream('faults'), { seconds, only });
  const last = Array.from({ length: 10 }, () => clients.ask());
  await clients.stop();
  await going;
  return {
    all: [...clients.acknowledged.values()],
    last: last.map((wish) => clients.acknowledged.get(wish) ?? ''),
    faults,
  };
}

/** Positions of a run's events, as its stream tells them. */
async function told(baton: Installation, id: string): Promise<number[]> {
  const stream = { accept: 'text/event-stream' };
  const { body } = await baton.api('GET', `/v1/runs/${id}/events?after=0`, undefined, stream);
  return [...String(body['text']).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
}

/** The exported trail, verified offline. */
async function audited(baton: Installation): Promise<object> {
  const { body } = await baton.api('GET', '/v1/audit/export');
  const verifier = new AuditVerifier();
  for (const line of String(body['text']).trimEnd().split('\n')) verifier.takeLine(line);
  return verifier.report({ isFile: true });
}

const timeout = 600_000 + seconds * 4_000;

test.skipIf(inject('services').redisUrl === undefined)(
  'everything is killed, stopped, cut and emptied, and no promise is broken',
  { timeout },
  async () => {
    const victims = await start();
    const { all, last, faults: done } = await goThroughIt(victims);
    const { baton } = victims;
    expect(endedByThemselves(victims)).toEqual([]);
    await Promise.all(all.map((id) => baton.ended(id)));
    const store = openStore({ url: victims.postgres.url, secretKey: testSecretKey });
    ends.push(() => store.close());
    const ledger = readLedger(join(folder, 'ledger'));
    const { runs, faults } = await examine(store, ledger, { unrepeatable: ['charge', 'mail'] });
    expect(faults).toEqual([]);
    // What was accepted is there, and what was asked for several times is there once.
    expect(all.filter((id) => !runs.has(id))).toEqual([]);
    expect(new Set([...runs.values()].flatMap(({ tags }) => tags)).size).toBe(runs.size);
    expect(last.map((id) => runs.get(id)?.status)).toEqual(last.map(() => 'succeeded'));
    const succeeded = all.filter((id) => runs.get(id)?.status === 'succeeded');
    expect(succeeded.length).toBeGreaterThan(all.length * 0.8);
    expect(ledger.some((entry) => JSON.stringify(entry).includes(canary))).toBe(true);
    expect(await placesOf(victims.postgres.url, canary)).toEqual([]);
    expect(baton.apps.filter((app) => app.log().includes(canary))).toEqual([]);
    if (isLong) process.stdout.write(`${await healingOf(store, done)}\n`);
    const { heartbeats = [] } = victims;
    if (isLong) process.stdout.write(`Heartbeats while a worker is stopped: ${JSON.stringify(heartbeats)}\n`);
    expect(heartbeats.filter(isLate)).toEqual([]);
    expect(await audited(baton)).toMatchObject({ isIntact: true, runs: runs.size });
    for (const id of all.slice(0, 5)) {
      expect(await told(baton, id)).toEqual(Array.from({ length: runs.get(id)?.seq ?? 0 }, (_, at) => at + 1));
    }
  },
);

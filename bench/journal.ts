/**
 * The journal's writer beside a group commit written by hand: durable rows per second, side by side in one run.
 *
 *   node bench/journal.ts [--seconds 5] [--rounds 3]
 *
 * Both wait until their event is durable before they append the next one, on a Postgres of their own with full
 * durability. By hand: one connection, text arrays, `insert … select from unnest`, nothing else. The journal: events as
 * objects, made JSON and hash-chained, through `RunLog.append`.
 */
import { randomBytes } from 'node:crypto';

import type { RunEvent } from '@baton/engine';
import { Client } from 'pg';

import { temporaryPostgres } from '../libs/boot/src/index.ts';
import { migrate, newRunId, openStore } from '../libs/store/src/index.ts';
import { parseOptions } from './core/parseOptions.ts';

const { values } = parseOptions({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
});
const forMs = Number(values.seconds) * 1000;
const concurrencies = [1, 10, 50, 200];

/** Appends events one after the other; each call of what it returns is one event. */
interface Contestant {
  appender(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const value = { json: { content: [{ type: 'text', text: 'Echo: hello step 12345' }] } };

async function journal(url: string): Promise<Contestant> {
  const store = openStore({ url, secretKey: randomBytes(32) });
  const appender = async (): Promise<() => Promise<void>> => {
    const made = await store.request({
      event: {
        type: 'run.requested',
        at: Date.now(),
        workflow: 'bench',
        definition: 'none',
        inputs: { json: {} },
        trigger: { kind: 'api' },
        by: 'bench',
      },
    });
    if (made.kind !== 'created') throw new Error(`a run was not made: ${made.kind}`);
    const opened = await store.journal.open(made.runId);
    if (opened === undefined) throw new Error('the run is not there');
    const { log } = opened;
    return () => {
      const event: RunEvent = {
        type: 'step.succeeded',
        at: Date.now(),
        path: 'greet',
        verb: 'tool',
        attempt: 1,
        value,
      };
      return log.append({ events: [event] });
    };
  };
  return { appender, close: () => store.close() };
}

async function byHand(url: string): Promise<Contestant> {
  const client = new Client(url);
  await client.connect();
  await client.query(`create table if not exists by_hand (
    run_id uuid, seq int, at bigint, type text, data json, primary key (run_id, seq))`);
  const text = `insert into by_hand select * from unnest($1::uuid[], $2::int[], $3::bigint[], $4::text[], $5::json[])`;
  type Row = readonly [runId: string, seq: number, at: number, type: string, data: string];
  let waiting: { row: Row; done: () => void }[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const columns = [0, 1, 2, 3, 4].map((column) => batch.map(({ row }) => row[column]));
      await client.query({ name: 'by-hand', text, values: columns });
      for (const { done } of batch) done();
    }
    isBusy = false;
  };
  const appender = async (): Promise<() => Promise<void>> => {
    const runId = newRunId(Date.now());
    let seq = 0;
    return () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      seq += 1;
      const data = JSON.stringify({ path: 'greet', verb: 'tool', attempt: 1, value });
      waiting.push({ row: [runId, seq, Date.now(), 'step.succeeded', data], done: resolve });
      if (!isBusy) {
        isBusy = true;
        queueMicrotask(() => void flush());
      }
      return promise;
    };
  };
  return { appender, close: () => client.end() };
}

interface Measured {
  readonly rowsPerSecond: number;
  readonly cpuUsPerRow: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(contestant: Contestant, concurrency: number): Promise<Measured> {
  const appenders = await Promise.all(Array.from({ length: concurrency }, () => contestant.appender()));
  const times: number[] = [];
  const before = process.cpuUsage();
  const start = performance.now();
  await Promise.all(
    appenders.map(async (append) => {
      for (let now = performance.now(); now - start < forMs;) {
        await append();
        const then = now;
        now = performance.now();
        times.push(now - then);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    rowsPerSecond: times.length / seconds,
    cpuUsPerRow: (user + system) / times.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

const median = (some: readonly number[]): number =>
  some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? Number.NaN;

const postgres = await temporaryPostgres();
try {
  await migrate(postgres.url);
  const contestants = { byHand: await byHand(postgres.url), journal: await journal(postgres.url) };
  for (const contestant of Object.values(contestants)) {
    const append = await contestant.appender();
    for (let warm = 0; warm < 500; warm += 1) await append();
  }
  for (const concurrency of concurrencies) {
    const rounds: Record<keyof typeof contestants, Measured[]> = { byHand: [], journal: [] };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const name of ['byHand', 'journal'] as const)
        rounds[name].push(await measure(contestants[name], concurrency));
    }
    const ratios = rounds.journal.map(
      (one, round) => one.rowsPerSecond / (rounds.byHand[round]?.rowsPerSecond ?? Number.NaN),
    );
    const row = (name: keyof typeof rounds) => ({
      rowsPerSecond: Math.round(median(rounds[name].map((one) => one.rowsPerSecond))),
      cpuUsPerRow: Number(median(rounds[name].map((one) => one.cpuUsPerRow)).toFixed(1)),
      p50Ms: Number(median(rounds[name].map((one) => one.p50Ms)).toFixed(2)),
      p99Ms: Number(median(rounds[name].map((one) => one.p99Ms)).toFixed(2)),
    });
    const ratio = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
    console.log(JSON.stringify({ concurrency, byHand: row('byHand'), journal: row('journal'), ratio }));
  }
  for (const contestant of Object.values(contestants)) await contestant.close();
} finally {
  await postgres.stop();
}

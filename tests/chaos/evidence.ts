/** Compares the journal with the tool server's ledger; each contradiction is a sentence. */
import { type Run, type RunEvent, isEnded, replay, stateAt } from '@baton/engine';
import { type AuditedEvent, type Store, readPage } from '@baton/store';
import { type LedgerEntry, verifyChain } from '@baton/testing';
import { Client } from 'pg';

import type { DoneFault } from './faults.ts';

export interface Witnessed {
  readonly runs: ReadonlyMap<string, Run>;
  readonly faults: readonly string[];
}

/** Steps whose call is never to be repeated. */
export interface Expected {
  readonly unrepeatable: readonly string[];
}

/** Tools of the scripted server that say that they only read. */
const reads = new Set(['echo', 'slow']);

const attemptOf = ({ meta }: LedgerEntry): string => String(meta?.['baton/attempt']);

export async function examine(store: Store, ledger: readonly LedgerEntry[], expected: Expected): Promise<Witnessed> {
  const { rows } = await store.pool.query<{ id: string }>('select id from run');
  const calls = Map.groupBy(
    ledger.filter(({ call }) => call !== undefined),
    (entry) => attemptOf(entry).split('/')[0] ?? '',
  );
  const runs = new Map<string, Run>();
  const faults: string[] = [];
  for (const { id } of rows) {
    const { run, events, found } = await readRun(store, id);
    if (run !== undefined) runs.set(id, run);
    faults.push(...found, ...(run === undefined ? [] : judge(run, events, calls.get(id) ?? [], expected)));
  }
  for (const id of calls.keys()) if (!runs.has(id)) faults.push(`calls were made for ${id}, which is no run`);
  return { runs, faults };
}

async function readRun(
  store: Store,
  id: string,
): Promise<{ run: Run | undefined; events: readonly RunEvent[]; found: string[] }> {
  const page: AuditedEvent[] = [];
  for (let isMore = true; isMore;) {
    const read = await readPage(store, id, { after: page.length, limit: 1_000 });
    page.push(...read.events);
    ({ isMore } = read);
  }
  const links = page.map(({ seq, event: { at, type }, data, hash }) => ({ runId: id, seq, at, type, data, hash }));
  const chain = verifyChain(links);
  const found = chain.isIntact ? [] : [`the chain of ${id} breaks at ${chain.seq}: ${chain.why}`];
  const events = page.map(({ event }) => event);
  try {
    return { run: replay(id, events), events, found };
  } catch (error) {
    return { run: undefined, events, found: [...found, `${id} cannot be replayed: ${(error as Error).message}`] };
  }
}

function judge(
  run: Run,
  events: readonly RunEvent[],
  calls: readonly LedgerEntry[],
  { unrepeatable }: Expected,
): string[] {
  const writes = calls.filter(({ call }) => !reads.has(call ?? ''));
  const faults: string[] = [];
  if (!isEnded(run)) faults.push(`${run.id} is ${run.status}`);
  for (const [attempt, times] of Map.groupBy(writes, attemptOf)) {
    if (times.length > 1) faults.push(`${attempt} was made ${times.length} times`);
    const [path = '', number] = attempt.slice(run.id.length + 1).split('#');
    const isMeant = events.some(
      (event) => event.type === 'step.started' && event.path === path && event.attempt === Number(number),
    );
    if (!isMeant) faults.push(`${attempt} was made, and its intent is not on record`);
  }
  for (const step of unrepeatable) {
    const times = writes.filter((entry) => attemptOf(entry).startsWith(`${run.id}/${step}#`)).length;
    if (times > 1) faults.push(`${run.id}/${step} was done ${times} times`);
    if (times === 0 && stateAt(run, step)?.status === 'succeeded') faults.push(`${run.id}/${step} is recorded as done`);
  }
  return faults;
}

/** Tables in which the text stands. By a connection of its own: the store's give up a statement that takes this long. */
export async function placesOf(url: string, text: string): Promise<readonly string[]> {
  const operator = new Client(url);
  await operator.connect();
  const { rows: tables } = await operator.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await operator.query(
      `select from ${name} one where strpos(one::text, $1) > 0 or strpos(one::text, $2) > 0 limit 1`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rowCount !== 0) places.push(name);
  }
  await operator.end();
  return places;
}

/** For each kind of fault, how long after its end the first run succeeded that was asked for after it: a table. */
export async function healingOf(store: Store, faults: readonly DoneFault[]): Promise<string> {
  const healed = new Map<string, number[]>();
  for (const { name, endedAt } of faults) {
    const { rows } = await store.pool.query<{ seconds: number | null }>(
      `select extract(epoch from min(ended_at) - $1::timestamptz)::float8 as seconds from run
       where created_at >= $1::timestamptz and status = 'succeeded'`,
      [new Date(endedAt)],
    );
    healed.set(name, [...(healed.get(name) ?? []), rows[0]?.seconds ?? Infinity]);
  }
  const lines = [...healed].map(([name, seconds]) => {
    const sorted = seconds.toSorted((a, b) => a - b);
    const [median, most] = [sorted[sorted.length >> 1], sorted.at(-1)].map((one) => `${one?.toFixed(1)} s`);
    return `${name.padEnd(18)} ${String(seconds.length).padStart(4)} times  median ${median}  most ${most}`;
  });
  return ['Healed after', ...lines.toSorted()].join('\n');
}

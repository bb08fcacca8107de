/** Runs that wait until the person behind them logs in to a server, found by the events in which they wait. */
import { defined } from '@baton/primitives';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { parseEvent } from '../journal/eventText.ts';
import { runConditions } from './runConditions.ts';

export interface LoginWait {
  readonly server: string;
  /** Unfinished runs of the person that wait for the login. */
  readonly runs: number;
  /** Since when the one that waits longest does, epoch milliseconds. */
  readonly since: number;
}

export interface WaitsOfPerson {
  /** As journals write it. */
  readonly person: string;
  /** Servers at which the person has no login. */
  readonly servers: readonly string[];
  /** Patterns of workflows; undefined: all. */
  readonly workflows?: readonly string[] | undefined;
}

/** Newest unfinished runs that are looked at. */
const runsMax = 10_000;
/** A wait for a login is searched among this many of a run's newest events, so that each run costs one short index read. */
const tailEvents = 100;
/** A worker looks again at `until`; what it did not look at since then goes on elsewhere, or its worker is late. */
const lateMs = 60_000;
/** Longer than the longest time between two looks. */
const lookMs = 660_000;

interface WaitRow {
  readonly id: string;
  /** The text of the first event of the run, and of one in which it waits. */
  readonly first: string;
  readonly wait: string;
  /** Whether it waits for a time that may be that of the next look. */
  readonly looks: boolean;
}

/** By server, the one that is waited for longest first. Rejects with `UnavailableError`. */
export async function loginWaits(
  { pool, now }: Pick<Database, 'pool' | 'now'>,
  { person, servers, workflows }: WaitsOfPerson,
): Promise<readonly LoginWait[]> {
  if (servers.length === 0) return [];
  const at = now();
  const found = new Map<string, Map<string, number>>();
  for (const { id, first: firstText, wait, looks } of await waitRows(pool, {
    person,
    workflows,
    lookedBy: at + lookMs,
  })) {
    const first = parseEvent('run.requested', 0, firstText);
    if (first.type !== 'run.requested' || first.person?.id !== person) continue;
    const event = parseEvent('step.waiting', 0, wait);
    const awaiting = event.type === 'step.waiting' && event.awaiting.for === 'turn' ? event.awaiting : undefined;
    const { server, until = 0, login, since = at } = awaiting ?? {};
    if (server === undefined || login === undefined || !servers.includes(server)) continue;
    if (!looks && until < at - lateMs) continue;
    const runs = found.get(server) ?? new Map<string, number>();
    found.set(server, runs.set(id, Math.min(since, runs.get(id) ?? since)));
  }
  return [...found]
    .map(([server, runs]) => ({ server, runs: runs.size, since: Math.min(...runs.values()) }))
    .toSorted((one, other) => one.since - other.since);
}

/** What servers wrote is no JSON that Postgres reads, so texts are compared here, and events are parsed afterwards. */
async function waitRows(
  pool: Database['pool'],
  { person, workflows, lookedBy }: Pick<WaitsOfPerson, 'person' | 'workflows'> & { readonly lookedBy: number },
): Promise<readonly WaitRow[]> {
  const { conditions, bind, values } = await runConditions(pool, defined({ workflows }));
  const [whose, by] = [bind(person), bind(lookedBy)];
  return queryRows<WaitRow>(
    pool,
    `with unfinished as materialized (
       select id, is_waiting, wake_at from run where ${['ended_at is null', ...conditions].join(' and ')}
       order by id desc limit ${runsMax}
     ), waits as materialized (
       select unfinished.*, tail.text from unfinished cross join lateral (
         select type, data::text as text from run_event where run_id = unfinished.id order by seq desc limit ${tailEvents}) as tail
       where tail.type = 'step.waiting' and tail.text like '%"awaiting":{"for":"turn",%"login":%'
     )
     select waits.id, first.data::text as first, waits.text as wait,
       coalesce(is_waiting and wake_at < to_timestamp(${by}::bigint / 1000.0), false) as looks
     from waits join run_event as first on first.run_id = waits.id and first.seq = 1
     where position(${whose}::text in first.data::text) > 0`,
    values,
  );
}

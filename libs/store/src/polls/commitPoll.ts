/**
 * Writes what a poll found: the runs that it starts and the keys of their items, in one transaction, so that an item
 * whose run was started has its key, and no other.
 */
import { FailureError, tooLargeState } from '@baton/engine';
import { limits } from '@baton/expressions';
import type { PoolClient } from 'pg';

import { noteActionWithin } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import type { RequestOutcome, RunRequest } from '../runs/runRequest.ts';
import { type StateChange, lockState, writeState } from '../state/writeState.ts';
import type { PollFound } from './polls.ts';

export interface PollKeyText {
  readonly key: string;
  /** For people, where the key is a digest. */
  readonly text?: string;
}

/** A run, and the items that start it. */
export interface PollStart {
  readonly items: readonly PollKeyText[];
  readonly request: RunRequest & { readonly runId: string };
}

export interface PollCommit {
  readonly name: string;
  readonly workflow: string;
  readonly basis: string;
  /** Of the row that was read before the poll; undefined: there was none. */
  readonly generation: number | undefined;
  /** Keys that were seen with another basis are forgotten. */
  readonly isNewBasis: boolean;
  /** Keys that the tool answered, and that were seen before. */
  readonly seen: readonly string[];
  /** Items that start no run. */
  readonly passedOver: readonly PollKeyText[];
  readonly starts: readonly PollStart[];
  readonly keepMs: number;
  /** Written where no new item is left for the next poll, which a moved cursor would hide. Undefined: nothing. */
  readonly state: Pick<StateChange, 'values' | 'unlessChanged'> | undefined;
  /** Of events, kept where no new item is left; null: the server cannot replay. Absent: it is no poll of events. */
  readonly cursor?: string | null;
}

export interface PollEnd {
  readonly found: PollFound;
  /** Epoch milliseconds. */
  readonly nextAt: number;
}

/** The runs that were started, and those that the concurrency limit of their workflow keeps from being started now. */
export interface CommittedPoll {
  readonly started: ReadonlySet<string>;
  readonly full: ReadonlySet<string>;
}

interface CommittingStore extends Database {
  requestWithin(client: PoolClient, requests: readonly RunRequest[]): Promise<ReadonlyMap<string, RequestOutcome>>;
}

/** Many runs may be written meanwhile, and no process waits for the lock of a poll. */
const committingMs = 15_000;

/** Something else wrote what the poll has read and would write: nothing of the poll is written. */
class StateMovedError extends Error {
  override readonly name = 'StateMovedError';
}

/** Keys that are answered again are written again after this part of the time that they are kept. */
const touchedAfter = 10;

/**
 * `endOf` says what is recorded, when it is certain which runs there are. Undefined: another process polled, a person
 * reset the poll, or something else wrote its state, since they were read; nothing is written. Rejects with
 * `FailureError` where the state grows too large, and with `UnavailableError`.
 */
export async function commitPoll(
  store: CommittingStore,
  commit: PollCommit,
  endOf: (committed: CommittedPoll) => PollEnd,
): Promise<CommittedPoll | undefined> {
  const nowMs = store.now();
  const owner = { workflow: commit.workflow, isInline: false };
  return inTransaction(
    store.pool,
    async (client) => {
      if (!(await lockRow(client, commit, nowMs))) return undefined;
      // Before the runs, as an append that writes state has it: the two wait for each other in one order.
      if (commit.state !== undefined) await lockState(client, owner).catch(rethrowUnavailable);
      if (commit.isNewBasis) await run(client, 'delete from poll_key where poll = $1', [commit.name]);
      const outcomes = await store.requestWithin(
        client,
        commit.starts.map(({ request }) => request),
      );
      const idsOf = (kind: RequestOutcome['kind']): ReadonlySet<string> =>
        new Set([...outcomes].flatMap(([id, outcome]) => (outcome.kind === kind ? [id] : [])));
      const committed = { started: idsOf('created'), full: idsOf('full') };
      await keepKeys(client, commit, committed, nowMs);
      const { found, nextAt } = endOf(committed);
      const { cursor = null } = commit;
      const isDone = found.left === 0;
      await run(
        client,
        `update poll set basis = $2, generation = generation + 1, begins = null, next_at = to_timestamp($3 / 1000.0),
           polled_at = to_timestamp($4 / 1000.0), found = $5,
           cursor = case when $6 then $7 when $8 then null else cursor end, failure = null, failures = 0, failing_since = null
         where name = $1`,
        [commit.name, commit.basis, nextAt, nowMs, JSON.stringify(found), isDone, cursor, commit.isNewBasis],
      );
      if (commit.state !== undefined && isDone)
        await writeSeen(store, client, commit.name, { ...owner, ...commit.state });
      return committed;
    },
    committingMs,
  ).catch((error: unknown) => {
    if (error instanceof StateMovedError) return undefined;
    throw error;
  });
}

async function writeSeen(
  store: Database,
  client: PoolClient,
  poll: string,
  change: Omit<StateChange, 'by'>,
): Promise<void> {
  const by = `poll ${poll}`;
  const refusal = await writeState(client, { ...change, by }).catch(rethrowUnavailable);
  if (refusal?.kind === 'changed') throw new StateMovedError();
  if (refusal !== undefined) throw new FailureError('limit-exceeded', tooLargeState().message);
  const detail = { keys: Object.keys(change.values) };
  await noteActionWithin(client, store, { by, action: 'state.set', target: change.workflow, detail }).catch(
    rethrowUnavailable,
  );
}

/** Whether the row is still the one that was read. */
async function lockRow(client: PoolClient, commit: PollCommit, nowMs: number): Promise<boolean> {
  const { name, workflow, basis, generation } = commit;
  await run(
    client,
    `insert into poll (name, workflow, basis, generation, next_at) values ($1, $2, $3, 0, to_timestamp($4 / 1000.0))
     on conflict do nothing`,
    [name, workflow, basis, nowMs],
  );
  const rows = await run<{ generation: number }>(client, 'select generation from poll where name = $1 for update', [
    name,
  ]);
  return rows[0]?.generation === (generation ?? 0);
}

async function keepKeys(
  client: PoolClient,
  { name, starts, passedOver, seen, keepMs }: PollCommit,
  { started }: CommittedPoll,
  nowMs: number,
): Promise<void> {
  const ofRuns = starts.filter(({ request }) => started.has(request.runId));
  const pairs = ofRuns.flatMap(({ items, request }) => items.map((item) => ({ ...item, runId: request.runId })));
  const fresh: readonly (PollKeyText & { readonly runId?: string })[] = [...pairs, ...passedOver];
  if (fresh.length > 0)
    await run(
      client,
      `insert into poll_key (poll, key, seen_at, run_id, text)
       select $1, key, to_timestamp($2 / 1000.0), run_id, text
       from unnest($3::text[], $4::uuid[], $5::text[]) as fresh (key, run_id, text)`,
      [
        name,
        nowMs,
        fresh.map(({ key }) => key),
        fresh.map(({ runId = null }) => runId),
        fresh.map(({ text = null }) => text),
      ],
    );
  const touch = `update poll_key set seen_at = to_timestamp($2 / 1000.0)
    where poll = $1 and key = any($3::text[]) and seen_at < to_timestamp($4 / 1000.0)`;
  await run(client, touch, [name, nowMs, seen, nowMs - keepMs / touchedAfter]);
  await run(client, 'delete from poll_key where poll = $1 and seen_at < to_timestamp($2 / 1000.0)', [
    name,
    nowMs - keepMs,
  ]);
  if (fresh.length === 0) return;
  const [count] = await run<{ keys: number }>(client, 'select count(*)::int as keys from poll_key where poll = $1', [
    name,
  ]);
  if ((count?.keys ?? 0) <= limits.poll.keys) return;
  // What the tool answers now is never among those that are forgotten.
  await run(client, touch, [name, nowMs, seen, nowMs]);
  await run(
    client,
    `delete from poll_key where poll = $1 and seen_at < to_timestamp($2 / 1000.0) and seen_at <=
       (select seen_at from poll_key where poll = $1 order by seen_at desc offset $3 limit 1)`,
    [name, nowMs, limits.poll.keys],
  );
}

async function run<Row extends object>(client: PoolClient, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await client.query<Row>(text, [...values]).catch(rethrowUnavailable);
  return rows;
}

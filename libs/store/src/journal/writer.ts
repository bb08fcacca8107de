/**
 * The only writer of a process: it commits all pending appends in one statement.
 *
 * Resolves or rejects each append. Does not look into events.
 */
import { setImmediate as turn } from 'node:timers/promises';

import { invariant } from '@baton/engine';
import { Batches, Semaphore, unawaited } from '@baton/primitives';
import { ConflictError, StateRefusedError } from '@baton/runner';
import type { Pool } from 'pg';

import { asUnavailable, isRefusal, isUniqueViolation } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { appendStatement, type ChangedRow } from './appendStatement.ts';
import { appendWithState } from './appendWithState.ts';
import { ints, uuids } from './binaryArray.ts';
import type { LastWrite } from './lastWrite.ts';
import { randomPart } from './modelCosts.ts';
import type { PendingAppend } from './pendingAppend.ts';
import { batchTaker } from './takeBatch.ts';
import type { WritingConnection } from './writeFault.ts';

/** Transactions at once: the pool has connections for others. */
const statesTogether = 4;
const never = new AbortController().signal;

export class Writer {
  readonly #pool: Pool;
  readonly #connection: PinnedConnection;
  readonly #last: LastWrite;
  readonly #batches: Batches<PendingAppend>;
  readonly #part = randomPart();
  /** By run: the appends that follow one that writes state. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #laneTurns = new Semaphore(statesTogether);

  /** `pool`: for the transactions of appends that write state. */
  constructor(pool: Pool, { connection, last }: WritingConnection) {
    this.#pool = pool;
    this.#connection = connection;
    this.#last = last;
    this.#batches = new Batches<PendingAppend>({
      take: batchTaker(),
      carryOut: async (batch) => this.#writeAll(batch.filter(keepUnlessFailed)),
      pause: () => turn(),
    });
  }

  /** `mayWait`: the caller does not wait for this append yet. */
  add(pending: PendingAppend, mayWait: boolean): void {
    this.#batches.add(pending, mayWait);
  }

  flush(): void {
    this.#batches.flush();
  }

  /** Resolves when every append is settled. */
  async idle(): Promise<void> {
    await this.#batches.idle();
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  /**
   * A run that writes state has transactions of its own, in a lane: another process may hold the lock of the workflow and
   * be stopped, and no append of another run waits for that.
   */
  async #writeAll(batch: readonly PendingAppend[]): Promise<void> {
    const own = new Set(batch.flatMap(({ runId, state }) => (state === undefined ? [] : [runId])));
    const [apart, rest] = partition(batch, ({ runId }) => own.has(runId) || this.#lanes.has(runId));
    for (const [runId, appends] of Map.groupBy(apart, ({ runId }) => runId)) this.#follow(runId, appends);
    await this.#write(rest);
  }

  #follow(runId: string, appends: readonly PendingAppend[]): void {
    const before = this.#lanes.get(runId) ?? Promise.resolve();
    const lane = before
      .then(() => this.#writeInOrder(appends))
      .finally(() => {
        if (this.#lanes.get(runId) === lane) this.#lanes.delete(runId);
      });
    this.#lanes.set(runId, lane);
    unawaited(lane);
  }

  async #writeInOrder(appends: readonly PendingAppend[]): Promise<void> {
    for (const pending of appends) {
      if (!keepUnlessFailed(pending)) continue;
      if (pending.state === undefined) await this.#write([pending]);
      else await this.#writeWithState(pending);
    }
  }

  async #writeWithState(pending: PendingAppend): Promise<void> {
    const giveBack = await this.#laneTurns.take(never);
    try {
      await appendWithState(this.#pool, pending, statementFor([pending], this.#part));
      this.#last.succeeded();
      pending.resolve();
    } catch (error) {
      if (error instanceof StateRefusedError) fail([pending], error);
      else if (isUniqueViolation(error)) fail([pending], new ConflictError(pending.runId, { cause: error }));
      else this.#fail([pending], error);
    } finally {
      giveBack();
    }
  }

  async #write(batch: readonly PendingAppend[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      await this.#connection.query(statementFor(batch, this.#part));
      this.#last.succeeded();
      for (const pending of batch) pending.resolve();
    } catch (error) {
      if (isUniqueViolation(error)) await this.#withoutLosers(batch, error);
      else if (isRefusal(error)) await this.#oneByOne(batch, error);
      else this.#fail(batch, error);
    }
  }

  #fail(batch: readonly PendingAppend[], cause: unknown): void {
    const error = asUnavailable(cause);
    this.#last.failed(error);
    fail(batch, error);
  }

  /** Rejects the appends to runs to which another writer has appended, and writes the others. */
  async #withoutLosers(batch: readonly PendingAppend[], cause: unknown): Promise<void> {
    const losers = await this.#findLosers(batch).catch((error: unknown) => {
      fail(batch, asUnavailable(error));
      return undefined;
    });
    if (losers === undefined) return;
    invariant(losers.size > 0, 'a unique violation means that another writer has appended an event');
    const [lost, rest] = partition(batch, ({ runId }) => losers.has(runId));
    for (const pending of lost) fail([pending], new ConflictError(pending.runId, { cause }));
    await this.#write(rest);
  }

  async #findLosers(batch: readonly PendingAppend[]): Promise<Set<string>> {
    const events = batch.flatMap((pending) => pending.events);
    const { rows } = await this.#connection.query({
      name: 'losers',
      text: `select distinct run_id from unnest($1::uuid[], $2::int[]) as w(run_id, seq) join run_event using (run_id, seq)`,
      values: [uuids(events.map(({ runId }) => runId)), ints(events.map(({ seq }) => seq))],
    });
    return new Set(rows.flatMap(([runId]) => runId ?? []));
  }

  /** Writes each run's appends by themselves, because Postgres refuses a value in one of them. */
  async #oneByOne(batch: readonly PendingAppend[], error: unknown): Promise<void> {
    const runs = Map.groupBy(batch, ({ runId }) => runId);
    if (runs.size === 1) return fail(batch, asUnavailable(error));
    for (const one of runs.values()) await this.#write(one.filter(keepUnlessFailed));
  }
}

/** Rejects an append whose session has failed; true for the others. */
function keepUnlessFailed(pending: PendingAppend): boolean {
  const { error } = pending.owner;
  if (error !== undefined) pending.reject(error);
  return error === undefined;
}

function fail(batch: readonly PendingAppend[], error: Error): void {
  for (const pending of batch) {
    pending.owner.error ??= error;
    pending.reject(error);
  }
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const first: Item[] = [];
  const second: Item[] = [];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}

function statementFor(batch: readonly PendingAppend[], part: number): ReturnType<typeof appendStatement> {
  const inOrder = batch.toSorted((a, b) => (a.runId < b.runId ? -1 : Number(a.runId > b.runId)));
  const rows = new Map<string, ChangedRow>();
  for (const { runId, row } of inOrder) if (row !== undefined) rows.set(runId, { runId, row });
  return appendStatement({
    events: inOrder.flatMap(({ events }) => events),
    rows: [...rows.values()],
    blobs: inOrder.flatMap(({ runId, blobs }) => blobs.map((blob) => ({ ...blob, runId }))),
    takenEnds: inOrder.flatMap(({ takenEnds }) => takenEnds).toSorted(),
    costs: inOrder.flatMap(({ costs }) => costs),
    writes: inOrder.flatMap(({ writes }) => writes),
    part,
  });
}

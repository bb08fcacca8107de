/**
 * Creates runs: a run's row, its first event and its idempotency key, in one statement that concurrent requests share.
 * A repeated request creates nothing: the same key, parent or id finds the same run.
 */
import { setImmediate as turn } from 'node:timers/promises';

import { type Parent, type RunEvent, type Turn, invariant } from '@baton/engine';
import { Batches, defined, firstOf } from '@baton/primitives';
import { type Append, UnavailableError } from '@baton/runner';
import type { Pool, PoolClient, QueryArrayConfig } from 'pg';

import type { AuditKeys } from '../database/auditKeys.ts';
import { asUnavailable, isRefusal, rethrowUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { newRunId } from '../database/runId.ts';
import { inTransaction } from '../database/transaction.ts';
import { type PostgresJournal, chained, firstEvent } from '../journal/journal.ts';
import type { LastWrite } from '../journal/lastWrite.ts';
import type { JournalHead } from '../journal/readEvents.ts';
import { checkStorable } from '../journal/storableText.ts';
import { type UsageCount, countWrites, isCounted } from '../journal/usage.ts';
import type { WritingConnection } from '../journal/writeFault.ts';
import { newestRetries, undosOf } from './relatedRuns.ts';
import { type AcceptedRequest, requestStatement, requestWithMore } from './requestStatement.ts';
import type { BeginningRequest, Idempotency, RequestOutcome, RunRequest } from './runRequest.ts';
import { holderIn } from './turns.ts';
import { UnstoredLog } from './unstoredLog.ts';

/** The requested version is no longer the newest of its workflow; no run was created. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

interface WaitingRequest extends AcceptedRequest {
  readonly resolve: (requested: RequestOutcome) => void;
  readonly reject: (error: Error) => void;
}

interface BegunOutcome {
  readonly outcome: RequestOutcome;
  /** The end of its journal, where the run was created. */
  readonly head: JournalHead;
}

const requestsMax = 256;
/** A run that carries ten thousand outcomes takes a second or two. */
const withMoreMs = 15_000;

export class RequestWriter {
  readonly #pool: Pool;
  readonly #connection: PinnedConnection;
  readonly #last: LastWrite;
  readonly #keys: AuditKeys;
  readonly #usage: UsageCount;
  readonly #batches: Batches<WaitingRequest>;

  constructor(pool: Pool, { connection, last }: WritingConnection, keys: AuditKeys, usage: UsageCount) {
    this.#pool = pool;
    this.#usage = usage;
    this.#keys = keys;
    this.#connection = connection;
    this.#last = last;
    this.#batches = new Batches<WaitingRequest>({
      take: firstOf(requestsMax),
      carryOut: (batch) => this.#carryOut(batch),
      pause: () => turn(),
    });
  }

  /**
   * Resolves when the run is durable. Rejects with `UnavailableError` where it may or may not be: a repeated request with
   * the same idempotency key or parent finds out; and where `parentWorker` does not drive the parent any more. Rejects
   * with `FailureError` for text that cannot be stored, and with `OutdatedError`.
   */
  async request(request: RunRequest): Promise<RequestOutcome> {
    const { more = [], turn, retriedAs, undoneAs } = request;
    const accepted = this.#accepted(request);
    const needsOwnStatement = more.length > 0 || turn !== undefined || request.event.rerunOf !== undefined;
    if (needsOwnStatement) return this.#requestWith(accepted, more, { turn, ...defined({ retriedAs, undoneAs }) });
    return this.#add(accepted);
  }

  /**
   * Creates runs within a transaction of the caller: they are made when it commits. By id, `created`, or `full` where the
   * run would have needed a turn at once. Rejects with `UnavailableError`, and with `FailureError` as `request` does.
   */
  async requestWithin(
    client: PoolClient,
    requests: readonly RunRequest[],
  ): Promise<ReadonlyMap<string, RequestOutcome>> {
    const outcomes = new Map<string, RequestOutcome>();
    const free = requests.filter(({ turn }) => turn === undefined).map((one) => this.#accepted(one));
    for (let at = 0; at < free.length; at += requestsMax) {
      const batch = free.slice(at, at + requestsMax);
      const { rows } = await client.query<string[]>(requestStatement(batch)).catch(rethrowUnavailable);
      for (const [runId] of rows) if (runId !== undefined) outcomes.set(runId, { kind: 'created', runId });
    }
    for (const { turn, ...request } of requests) {
      if (turn === undefined) continue;
      const accepted = this.#accepted(request);
      outcomes.set(
        accepted.runId,
        await requestOrNone(client, requestWithMore({ ...accepted, more: [], turn }), accepted),
      );
    }
    return outcomes;
  }

  /** A run that begins at once: the first append to its log creates it. As `request` else. */
  unstored(request: BeginningRequest, journal: Pick<PostgresJournal, 'logAfter'>): UnstoredLog {
    const { runId } = request;
    return new UnstoredLog(runId, async (first) => {
      const { outcome, head } = await this.#requestBegun(request, first);
      return outcome.kind === 'created' ? { outcome, log: journal.logAfter(runId, head) } : { outcome };
    });
  }

  /** `first`: what the worker of the run appends. */
  async #requestBegun(request: BeginningRequest, { events, row, blobs = [], state }: Append): Promise<BegunOutcome> {
    invariant(state === undefined, 'a run that writes state is stored before it begins');
    invariant(row !== undefined, 'a run that begins has a new row');
    invariant(request.event.parent === undefined, 'the end of a child run is written down for its parent');
    const accepted = this.#accepted(request);
    const after = chained(this.#keys, accepted.runId, accepted.first, events);
    const begun = { events: after, row, writes: this.#usage.isOn ? countWrites(events) : 0 };
    const outcome = await this.#add({ ...accepted, blobs: [...accepted.blobs, ...blobs], begun });
    return { outcome, head: after.at(-1) ?? accepted.first };
  }

  #accepted(request: RunRequest): AcceptedRequest {
    const { event, blobs = [], callback, idempotency, line, parentWorker, isNewest = false } = request;
    checkStorable('workflow name', event.workflow);
    checkStorable('tags', ...(event.tags ?? []));
    checkStorable('idempotency key', idempotency?.scope, idempotency?.key, idempotency?.digest);
    checkStorable('callback', callback?.url, callback?.secret);
    checkStorable('request', event.by, event.definition, event.parent?.path);
    const { runId = newRunId(event.at) } = request;
    return {
      runId,
      event,
      first: firstEvent(this.#keys, runId, event),
      blobs,
      callback,
      idempotency,
      parentWorker,
      isNewest,
      isCounted: this.#usage.isOn && isCounted(event),
      line,
    };
  }

  #add(accepted: AcceptedRequest): Promise<RequestOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<RequestOutcome>();
    this.#batches.add({ ...accepted, resolve, reject });
    return promise;
  }

  async idle(): Promise<void> {
    await this.#batches.idle();
  }

  /** Creates the run in its own statement: one that lacked some of its carried outcomes would repeat their calls. */
  async #requestWith(
    accepted: AcceptedRequest,
    more: readonly RunEvent[],
    { turn, ...once }: Pick<RunRequest, 'retriedAs' | 'undoneAs'> & { readonly turn: Turn | undefined },
  ): Promise<RequestOutcome> {
    const { runId, first, event } = accepted;
    const statement = requestWithMore({ ...accepted, more: chained(this.#keys, runId, first, more), turn });
    const query = Object.assign(statement, { query_timeout: withMoreMs });
    try {
      const made = await this.#queryOnce(query, event.rerunOf, once);
      if ('kind' in made) return (await this.#findBefore(accepted)) ?? made;
      if (made.rows.length > 0) return { kind: 'created', runId };
    } catch (error) {
      const holder = holderIn(error);
      if (holder === undefined) throw asUnavailable(error);
      return { kind: 'full', runId: holder };
    }
    // A repeated request is found before the limit is checked.
    return this.#findFirst(accepted);
  }

  async #carryOut(batch: readonly WaitingRequest[]): Promise<void> {
    try {
      const { rows } = await this.#connection.query(requestStatement(batch));
      this.#last.succeeded();
      const created = new Set(rows.flatMap(([id]) => id ?? []));
      for (const waiting of batch) {
        if (created.has(waiting.runId)) waiting.resolve({ kind: 'created', runId: waiting.runId });
        else this.#findFirst(waiting).then(waiting.resolve, waiting.reject);
      }
    } catch (error) {
      // Postgres refuses a value of one request; each is tried by itself.
      if (isRefusal(error) && batch.length > 1) for (const one of batch) await this.#carryOut([one]);
      else this.#fail(batch, error);
    }
  }

  #fail(batch: readonly WaitingRequest[], cause: unknown): void {
    const error = asUnavailable(cause);
    if (error instanceof UnavailableError) this.#last.failed(error);
    for (const { reject } of batch) reject(error);
  }

  /** Of retries, or undos, at the same moment one is made: the others find it. */
  async #queryOnce(
    query: QueryArrayConfig,
    of: string | undefined,
    { retriedAs, undoneAs }: Pick<RunRequest, 'retriedAs' | 'undoneAs'>,
  ): Promise<{ readonly rows: readonly unknown[] } | RequestOutcome> {
    if (of === undefined || (retriedAs === undefined && undoneAs === undefined)) return this.#pool.query(query);
    return inTransaction(this.#pool, async (client) => {
      await client.query('select from run where id = $1 for no key update', [of]);
      const [undo] = await undosOf({ pool: client }, of);
      if (undo !== undefined && undo !== undoneAs)
        return { kind: undoneAs === undefined ? 'undone' : 'existing', runId: undo };
      const now = undoneAs === undefined ? (await newestRetries({ pool: client }, [of])).get(of) : undefined;
      return now === undefined || now === retriedAs ? client.query(query) : { kind: 'retried', runId: now };
    });
  }

  /** The run of the first request with this key or parent. */
  async #findBefore({ event: { parent }, idempotency }: AcceptedRequest): Promise<RequestOutcome | undefined> {
    return (idempotency && (await this.#runOfKey(idempotency))) ?? (parent && (await this.#runOfParent(parent)));
  }

  /** Rejects with `OutdatedError` where there is none. */
  async #findFirst(accepted: AcceptedRequest): Promise<RequestOutcome> {
    const { event, parentWorker, isNewest } = accepted;
    const { parent, workflow, rerunOf } = event;
    const before = await this.#findBefore(accepted);
    if (before !== undefined) return before;
    if (isNewest) throw new OutdatedError(`the requested version of ${workflow} is not the newest`);
    if (parentWorker !== undefined)
      throw new UnavailableError(`run ${parent?.runId} has ended, or ${parentWorker} does not drive it any more`);
    if (rerunOf !== undefined) throw new UnavailableError(`run ${rerunOf} is being removed`);
    throw new UnavailableError('the run was not created, and the run that prevented it no longer exists');
  }

  async #runOfKey({ scope, key, digest }: Idempotency): Promise<RequestOutcome | undefined> {
    const { rows } = await this.#pool
      .query<{ run_id: string; digest: string }>(
        'select run_id, digest from idempotency_key where scope = $1 and key = $2',
        [scope, key],
      )
      .catch(rethrowUnavailable);
    const [found] = rows;
    return found && { kind: found.digest === digest ? 'existing' : 'key-reused', runId: found.run_id };
  }

  async #runOfParent({ runId, path, attempt }: Parent): Promise<RequestOutcome | undefined> {
    const { rows } = await this.#pool
      .query<{ id: string }>(
        'select id from run where parent_run_id = $1 and parent_path = $2 and parent_attempt = $3',
        [runId, path, attempt],
      )
      .catch(rethrowUnavailable);
    const [found] = rows;
    return found && { kind: 'existing', runId: found.id };
  }
}

/** The transaction goes on where the run gets no turn. */
async function requestOrNone(
  client: PoolClient,
  query: QueryArrayConfig,
  { runId }: AcceptedRequest,
): Promise<RequestOutcome> {
  await client.query('savepoint request').catch(rethrowUnavailable);
  try {
    await client.query(query);
    await client.query('release savepoint request');
    return { kind: 'created', runId };
  } catch (error) {
    const holder = holderIn(error);
    if (holder === undefined) throw asUnavailable(error);
    await client.query('rollback to savepoint request').catch(rethrowUnavailable);
    return { kind: 'full', runId: holder };
  }
}

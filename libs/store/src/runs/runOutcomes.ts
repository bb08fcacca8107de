/** Reads how runs ended from their rows. Concurrent reads share a statement. */
import { setImmediate as turn } from 'node:timers/promises';

import type { Failure, RunStatus, Value } from '@baton/engine';
import { Batches, firstOf } from '@baton/primitives';

import { asUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { uuids } from '../journal/binaryArray.ts';

export interface RunOutcome {
  readonly status: RunStatus;
  readonly outputs?: Value;
  readonly failure?: Failure;
}

interface OutcomeQuery {
  readonly runId: string;
  readonly resolve: (outcome: RunOutcome | undefined) => void;
  readonly reject: (error: Error) => void;
}

const runsMax = 256;

/**
 * `limit 1` keeps it a look-up by key for each run. Otherwise a plan that Postgres caches while the table is small could
 * be a join that reads all ended runs.
 */
const text = `select w.n, status, outputs, failure from unnest($1::uuid[]) with ordinality as w(id, n)
  cross join lateral (select status, outputs, failure, ended_at from run where id = w.id limit 1) as r
  where ended_at is not null`;

export class OutcomeReader {
  readonly #connection: PinnedConnection;
  readonly #batches: Batches<OutcomeQuery>;

  constructor(connection: PinnedConnection) {
    this.#connection = connection;
    this.#batches = new Batches<OutcomeQuery>({
      take: firstOf(runsMax),
      carryOut: (batch) => this.#read(batch),
      pause: () => turn(),
    });
  }

  /** Undefined until the run has ended. `runId` must be a run id. Rejects with `UnavailableError`. */
  find(runId: string): Promise<RunOutcome | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<RunOutcome | undefined>();
    this.#batches.add({ runId, resolve, reject });
    return promise;
  }

  async #read(batch: readonly OutcomeQuery[]): Promise<void> {
    try {
      const values = [uuids(batch.map(({ runId }) => runId))];
      const { rows } = await this.#connection.query({ name: 'outcomes', text, values });
      const found = new Map(rows.map(([n, ...row]) => [Number(n), outcomeOf(row)]));
      for (const [index, { resolve }] of batch.entries()) resolve(found.get(index + 1));
    } catch (error) {
      for (const { reject } of batch) reject(asUnavailable(error));
    }
  }
}

/** The columns hold the JSON of the engine's own types. */
const outcomeOf = ([status, outputs, failure]: readonly (string | null | undefined)[]): RunOutcome => ({
  status: status as RunStatus,
  ...(outputs == null ? {} : { outputs: JSON.parse(outputs) as Value }),
  ...(failure == null ? {} : { failure: JSON.parse(failure) as Failure }),
});

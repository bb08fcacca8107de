/** Finds the version of a workflow for a new run. Concurrent look-ups share a statement, as runs do. */
import { Batches, firstOf } from '@baton/primitives';
import type { Pool } from 'pg';

import { asUnavailable } from '../database/databaseError.ts';
import { isStorable } from '../journal/storableText.ts';

export interface VersionWanted {
  readonly workflow: string;
  /** Absent: the newest. */
  readonly version?: number | undefined;
}

export interface VersionFound {
  readonly version: number;
  /** Digest of its definition. */
  readonly definition: string;
  /** Who paused the workflow: no trigger starts it; absent: not paused. */
  readonly pausedBy?: string;
}

interface VersionQuery {
  readonly wanted: VersionWanted;
  readonly resolve: (found: VersionFound | undefined) => void;
  readonly reject: (error: Error) => void;
}

const mostWanted = 256;
const rememberedMost = 1_000;

const text = `select wanted.n::int as n, version.version, version.digest, paused_by
  from unnest($1::text[], $2::int[]) with ordinality as wanted(id, version, n)
  join workflow on workflow.id = wanted.id and deleted_at is null
  join workflow_version version on workflow_id = workflow.id and version.version = coalesce(wanted.version, latest)`;

export class VersionReader {
  readonly #pool: Pool;
  readonly #batches: Batches<VersionQuery>;
  readonly #newest = new Map<string, VersionFound>();

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#batches = new Batches<VersionQuery>({ take: firstOf(mostWanted), carryOut: (batch) => this.#read(batch) });
  }

  /** Undefined where there is no such workflow any more, or no such version. Rejects with `UnavailableError`. */
  async find(wanted: VersionWanted): Promise<VersionFound | undefined> {
    const { workflow, version = 1 } = wanted;
    if (!isStorable(workflow) || !Number.isInteger(version) || version < 1 || version >= 2 ** 31) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<VersionFound | undefined>();
    this.#batches.add({ wanted, resolve, reject });
    return promise;
  }

  /** The newest version at the last look-up. A request for a run checks whether it still is. */
  remembered(workflow: string): VersionFound | undefined {
    return this.#newest.get(workflow);
  }

  #remember({ workflow, version }: VersionWanted, found: VersionFound | undefined): void {
    if (version !== undefined) return;
    this.#newest.delete(workflow);
    if (found === undefined) return;
    this.#newest.set(workflow, found);
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > rememberedMost && oldest !== undefined) this.#newest.delete(oldest);
  }

  async #read(batch: readonly VersionQuery[]): Promise<void> {
    type Row = { n: number; version: number; digest: string; paused_by: string | null };
    const values = [batch.map(({ wanted }) => wanted.workflow), batch.map(({ wanted }) => wanted.version ?? null)];
    try {
      const { rows } = await this.#pool.query<Row>({ name: 'find-version', text, values });
      const found = new Map(
        rows.map(({ n, version, digest: definition, paused_by: by }) => [
          n,
          { version, definition, ...(by === null ? {} : { pausedBy: by }) },
        ]),
      );
      for (const [index, { wanted, resolve }] of batch.entries()) {
        this.#remember(wanted, found.get(index + 1));
        resolve(found.get(index + 1));
      }
    } catch (error) {
      for (const { reject } of batch) reject(asUnavailable(error));
    }
  }
}

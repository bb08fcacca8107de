/** Finds the version of a workflow for a new run. Concurrent look-ups share a statement. */
import { NewestMap, Batches, firstOf } from '@baton/primitives';
import type { Pool } from 'pg';

import { asUnavailable } from '../database/databaseError.ts';
import { isStorable } from '../journal/storableText.ts';

export interface VersionRequest {
  readonly workflow: string;
  /** Absent: the newest. */
  readonly version?: number | undefined;
}

export interface FoundVersion {
  readonly version: number;
  /** Digest of its definition. */
  readonly definition: string;
  /** Who deployed it; of one that was pinned anew by a proof, who deployed the one before. */
  readonly deployedBy: string;
  /** The caller who paused the workflow, so that no trigger starts it; absent: it is not paused. */
  readonly pausedBy?: string;
}

interface VersionQuery {
  readonly wanted: VersionRequest;
  readonly resolve: (found: FoundVersion | undefined) => void;
  readonly reject: (error: Error) => void;
}

const requestsMax = 256;
const rememberedMax = 1_000;

/** Of versions that a proof made: no person deployed those. */
export const proofAuthor = 'repinning';

const text = `select wanted.n::int as n, version.version, version.digest, paused_by,
    coalesce((
      select deployed_by from workflow_version of
      where of.workflow_id = workflow.id and of.version <= version.version and of.deployed_by <> '${proofAuthor}'
      order by of.version desc limit 1
    ), version.deployed_by) as deployed_by
  from unnest($1::text[], $2::int[]) with ordinality as wanted(id, version, n)
  join workflow on workflow.id = wanted.id and deleted_at is null
  join workflow_version version on workflow_id = workflow.id and version.version = coalesce(wanted.version, latest)`;

export class VersionReader {
  readonly #pool: Pool;
  readonly #batches: Batches<VersionQuery>;
  readonly #newest = new NewestMap<string, FoundVersion>(rememberedMax);

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#batches = new Batches<VersionQuery>({ take: firstOf(requestsMax), carryOut: (batch) => this.#read(batch) });
  }

  /** Undefined where there is no such workflow or version, or it was deleted. Rejects with `UnavailableError`. */
  async find(wanted: VersionRequest): Promise<FoundVersion | undefined> {
    const { workflow, version = 1 } = wanted;
    if (!isStorable(workflow) || !Number.isInteger(version) || version < 1 || version >= 2 ** 31) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<FoundVersion | undefined>();
    this.#batches.add({ wanted, resolve, reject });
    return promise;
  }

  /** The newest version at the last look-up. `RunRequest.isNewest` makes the store check that it still is. */
  remembered(workflow: string): FoundVersion | undefined {
    return this.#newest.get(workflow);
  }

  #remember({ workflow, version }: VersionRequest, found: FoundVersion | undefined): void {
    if (version !== undefined) return;
    if (found === undefined) this.#newest.delete(workflow);
    else this.#newest.set(workflow, found);
  }

  async #read(batch: readonly VersionQuery[]): Promise<void> {
    type Row = { n: number; version: number; digest: string; paused_by: string | null; deployed_by: string };
    const values = [batch.map(({ wanted }) => wanted.workflow), batch.map(({ wanted }) => wanted.version ?? null)];
    try {
      const { rows } = await this.#pool.query<Row>({ name: 'find-version', text, values });
      const found = new Map(
        rows.map(({ n, version, digest: definition, paused_by: by, deployed_by: deployedBy }) => [
          n,
          { version, definition, deployedBy, ...(by === null ? {} : { pausedBy: by }) },
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

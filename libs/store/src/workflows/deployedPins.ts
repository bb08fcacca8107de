/** Reads what all deployed workflows rely on of tools. */
import { NewestMap, defined } from '@baton/primitives';
import type { PinnedTool } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import type { Pins } from './definitions.ts';

/** By `server/tool`. What the tools were, which is large, is not among it. */
type PinDigests = Readonly<Record<string, Omit<PinnedTool, 'definition'>>>;

export interface DeployedPins {
  readonly workflow: string;
  /** The newest version. */
  readonly version: number;
  readonly pins: PinDigests;
}

/** Reads the pins of the newest version of each workflow, in order of their names. Rejects with `UnavailableError`. */
export type DeployedPinsReader = () => Promise<readonly DeployedPins[]>;

/** Pins of more definitions are read anew each time. */
const keptMax = 10_000;

/** The pins of a definition never change, and are read once. */
export function cachedPins({ pool }: Database): DeployedPinsReader {
  const kept = new NewestMap<string, PinDigests>(keptMax);
  return async () => {
    const deployed = await queryRows<{ workflow: string; version: number; digest: string }>(
      pool,
      `select workflow.id as workflow, latest as version, digest from workflow
       join workflow_version on workflow_id = workflow.id and version = latest
       where deleted_at is null order by workflow.id`,
    );
    const known = new Map(deployed.map(({ digest }) => [digest, kept.get(digest)]));
    const missing = [...known.keys()].filter((digest) => known.get(digest) === undefined);
    for (const [digest, pins] of await readPins(pool, missing)) {
      known.set(digest, pins);
      kept.set(digest, pins);
    }
    return deployed.map(({ workflow, version, digest }) => ({ workflow, version, pins: known.get(digest) ?? {} }));
  };
}

/** As many statements as the answers need. */
async function readPins(pool: Database['pool'], digests: readonly string[]): Promise<ReadonlyMap<string, PinDigests>> {
  const found = new Map<string, PinDigests>();
  let left = digests;
  while (left.length > 0) {
    const page = withinBytes('select digest, pins::text as data from definition where digest = any($1)', 'digest');
    const rows = await queryRows<{ digest: string; data: string }>(pool, page, [left]);
    for (const { digest, data } of rows) found.set(digest, digestsIn(JSON.parse(data) as Pins));
    left = rows.length === 0 ? [] : left.filter((digest) => !found.has(digest));
  }
  return found;
}

const digestsIn = (pins: Pins): PinDigests =>
  Object.fromEntries(
    Object.entries(pins).map(([tool, { contract, text, isForChecks }]) => [
      tool,
      defined({ contract, text, isForChecks }),
    ]),
  );

/**
 * The epoch: what a process last saw at the ends of the database, kept where a restore of the database does not reach
 * it. A process that finds the database behind an epoch raises the fence.
 */
import { isObject } from '@baton/primitives';

interface SeenRow {
  readonly number: number;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ends of what Postgres keeps, as a look found them. */
export interface SeenEnds {
  readonly seal: SeenRow | null;
  readonly entry: SeenRow | null;
  /** The newest event of all runs; `number` is its position. */
  readonly event: (SeenRow & { readonly runId: string }) | null;
  /** Postgres begins another one when a standby is promoted, and when it recovers to a point in time. */
  readonly timeline: string;
  /** Each commit waited for a standby, so that one which is promoted has all of them. */
  readonly isSynchronous: boolean;
}

/** A place outside the database. It keeps one text for each installation. */
export interface EpochPlace {
  /** For messages: without a password. */
  readonly name: string;
  read(installation: string): Promise<string | undefined>;
  write(installation: string, text: string): Promise<void>;
}

export const epochText = (installation: string, seen: SeenEnds, at: number): string =>
  JSON.stringify({ installation, at: new Date(at).toISOString(), ...seen });

/** Undefined where the text is not an epoch of the installation. */
export function seenIn(text: string, installation: string): SeenEnds | undefined {
  const written = jsonIn(text);
  if (!isObject(written) || written['installation'] !== installation) return undefined;
  const { seal, entry, event, timeline, isSynchronous } = written;
  const isWhole =
    isRowOrNull(seal) && isRowOrNull(entry) && isRowOrNull(event) && typeof timeline === 'string' && timeline !== '';
  const { runId } = isObject(event) ? event : { runId: '' };
  if (!isWhole || typeof runId !== 'string' || typeof isSynchronous !== 'boolean') return undefined;
  return { seal, entry, event: event === null ? null : { ...event, runId }, timeline, isSynchronous };
}

const isRowOrNull = (row: unknown): row is SeenRow | null =>
  row === null ||
  (isObject(row) &&
    Number.isInteger(row['number']) &&
    typeof row['hash'] === 'string' &&
    /^[0-9a-f]{64}$/.test(row['hash']) &&
    typeof row['at'] === 'number');

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

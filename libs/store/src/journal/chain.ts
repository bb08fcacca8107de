/**
 * The hash chain of a run's journal: each event carries the SHA-256 of the one before it and of itself, so that
 * changing, removing, adding or moving an event breaks every later hash. Pure, so that it can be verified offline.
 */
import { hash } from 'node:crypto';

/** The hash before the first event: 32 zero bytes. */
export const genesis = '0'.repeat(64);

export interface ChainLink {
  readonly runId: string;
  /** Position in the journal, counted from 1. */
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  /** The rest of the event, as the exact JSON text that is stored. */
  readonly data: string;
}

/**
 * Hexadecimal SHA-256 of six lines in UTF-8: the previous hash (hexadecimal), run id, seq, at, type, data. Only the last
 * line can hold a line break, so no two events have the same text.
 */
export function linkHash(before: string, { runId, seq, at, type, data }: ChainLink): string {
  return hash('sha256', `${before}\n${runId}\n${seq}\n${at}\n${type}\n${data}`, 'hex');
}

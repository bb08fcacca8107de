import { randomUUID } from 'node:crypto';

import { isUuid } from '@baton/primitives';

/** Whether the text is a UUID. Any other text must not reach a `uuid` column. */
export const isRunId: (text: string) => boolean = isUuid;

/** A UUIDv7 (RFC 9562, section 5.7): ids of later instants sort after those of earlier ones. */
export function newRunId(atMs: number): string {
  // The random bits are those of a UUIDv4, which Node draws for many ids at once.
  return `${instantOf(atMs)}-7${randomUUID().slice(15)}`;
}

/** The smallest id of an instant: a run that is created then or later has a larger one. */
export const firstRunId = (atMs: number): string => `${instantOf(atMs)}-0000-0000-000000000000`;

/** The creation time in a run's id, epoch milliseconds. */
export const createdAtOf = (runId: string): number => Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);

/** Milliseconds as the first 48 bits of an id. An instant before 1970, or after 10889, counts as the first, or the last. */
function instantOf(atMs: number): string {
  const digits = Math.min(Math.max(0, Math.floor(atMs)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

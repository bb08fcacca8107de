import { randomUUID } from 'node:crypto';

const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Any other text cannot name a run, and must not reach a `uuid` column. */
export const isRunId = (text: string): boolean => pattern.test(text);

/** A UUIDv7 (RFC 9562, section 5.7): ids of later instants sort after those of earlier ones. */
export function newRunId(atMs: number): string {
  // Its random bits are where a UUIDv4 has them, and Node draws those of many at once.
  return `${instantOf(atMs)}-7${randomUUID().slice(15)}`;
}

/** The smallest id of that instant: every run that was created then, or later, has a larger one. */
export const firstRunId = (atMs: number): string => `${instantOf(atMs)}-0000-0000-000000000000`;

/** What the id of a run says of itself, epoch milliseconds. */
export const createdAtOf = (runId: string): number => Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);

/** Milliseconds as the first 48 bits of an id. */
function instantOf(atMs: number): string {
  const digits = atMs.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

import { randomFillSync } from 'node:crypto';

const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Any other text cannot name a run, and must not reach a `uuid` column. */
export const isRunId = (text: string): boolean => pattern.test(text);

/** A UUIDv7 (RFC 9562, section 5.7): ids of later instants sort after those of earlier ones. */
export function newRunId(atMs: number): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(atMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return dashed(bytes);
}

/** The smallest id of that instant: every run that was created then, or later, has a larger one. */
export function firstRunId(atMs: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(atMs, 0, 6);
  return dashed(bytes);
}

/** What the id of a run says of itself, epoch milliseconds. */
export const createdAtOf = (runId: string): number => Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);

function dashed(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

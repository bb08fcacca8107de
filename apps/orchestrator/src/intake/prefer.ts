/** `Prefer: wait=10` (RFC 7240): for how long the client is willing to wait for the outcome. */

const waitSecondsMax = 300;

/** Milliseconds; 0 where it does not want to wait. A preference that is not understood is none (RFC 7240, section 2). */
export function waitMsOf(prefer: string | readonly string[] | undefined): number {
  const header = typeof prefer === 'string' ? prefer : (prefer ?? []).join(',');
  for (const preference of header.split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), waitSecondsMax) * 1_000;
  }
  return 0;
}

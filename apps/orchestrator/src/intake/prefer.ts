/** `Prefer: wait=10` (RFC 7240): how long the client wants to wait for the outcome. */

const waitSecondsMax = 300;

/** Milliseconds; 0 if the client does not want to wait. An invalid preference is ignored (RFC 7240, section 2). */
export function waitMsOf(prefer: string | readonly string[] | undefined): number {
  const header = typeof prefer === 'string' ? prefer : (prefer ?? []).join(',');
  for (const preference of header.split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), waitSecondsMax) * 1_000;
  }
  return 0;
}

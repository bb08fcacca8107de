/** How much memory a value takes, for caches that are limited in bytes. */

/** The assumed overhead of an object, and of each member. */
const memberBytes = 24;

/** The approximate size, in bytes. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = memberBytes;
  for (const one of Object.values(value)) sum += memberBytes + weightOf(one);
  return sum;
}

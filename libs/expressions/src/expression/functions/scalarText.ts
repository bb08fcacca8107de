import { type Value, Instant, Period } from '../value.ts';

/** An argument of a parameter of kind text. */
export const asText = (value: Value | undefined): string => (typeof value === 'string' ? value : '');

/** The text of a value that is no list or map, for `string(x)` and for expressions inside texts. */
export function scalarText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (value instanceof Instant) return new Date(value.ms).toISOString().replace('.000Z', 'Z');
  return value instanceof Period ? `${value.ms / 1_000}s` : undefined;
}

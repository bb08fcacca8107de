/** The name that JSON Schema gives to the type: as `typeof`, but for `null` and `array`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

import { type Json, isObject } from '@baton/primitives';

/** Whether two JSON values are equal; the order of keys does not count. */
export function isSameJson(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b) || Array.isArray(a) || Array.isArray(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key] ?? null, b[key] ?? null))
  );
}

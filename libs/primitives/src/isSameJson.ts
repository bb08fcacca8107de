import { isObject } from './isObject.ts';

/** Whether two JSON values are equal: the order of keys does not count, and what is undefined is not there. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return (a ?? null) === (b ?? null);
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

const keysOf = (members: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(members).filter((key) => members[key] !== undefined);

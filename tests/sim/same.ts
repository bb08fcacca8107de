/** Whether two folded runs mean the same: maps by their entries, in order, of any class; absent is undefined. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (isIterable(one) && isIterable(other)) return isSameList([...one], [...other]);
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(one[key], other[key]));
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => isSame(item, other[index]));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value;

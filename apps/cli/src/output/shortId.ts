export const shortLength = 13;

const shortOf = (id: string): string => id.slice(0, shortLength);

/**
 * Returns a function that shortens each of `ids` to 13 of 36 characters, if no other of them begins so. Commands accept
 * the beginning of an id.
 */
export function shortIds(ids: Iterable<string>): (id: string) => string {
  const counts = new Map<string, number>();
  for (const id of new Set(ids)) counts.set(shortOf(id), (counts.get(shortOf(id)) ?? 0) + 1);
  return (id) => ((counts.get(shortOf(id)) ?? 0) > 1 ? id : shortOf(id));
}

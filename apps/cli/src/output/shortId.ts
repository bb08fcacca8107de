export const shortLength = 13;

/**
 * Returns a function that shortens each of `ids` to 13 of 36 characters, or to as many more as keep all of them apart.
 * Commands accept the beginning of an id.
 */
export function shortIds(ids: Iterable<string>): (id: string) => string {
  const all = [...new Set(ids)];
  const whole = Math.max(shortLength, ...all.map((id) => id.length));
  let length = shortLength;
  while (length < whole && new Set(all.map((id) => id.slice(0, length))).size < all.length) length += 1;
  return (id) => id.slice(0, length);
}

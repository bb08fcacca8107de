export const shortLength = 13;

/** Shortens an id to 13 of 36 characters if no other begins so. Commands accept the beginning of an id. */
export function shortId(id: string, ids: readonly string[]): string {
  const short = id.slice(0, shortLength);
  return ids.every((one) => one === id || !one.startsWith(short)) ? short : id;
}

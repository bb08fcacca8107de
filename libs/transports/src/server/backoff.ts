/** The pause before the next try, in milliseconds: grows with the failures in a row, and is partly random. */
const firstMs = 500;
const longestMs = 30_000;

export const backoffMs = (failures: number, random: () => number): number =>
  Math.min(firstMs * 2 ** Math.min(failures, 16), longestMs) * (0.25 + 0.75 * random());

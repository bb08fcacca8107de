/** How long to wait before trying again, after so many failures on end: longer each time, by a random part of it. */
const firstMs = 500;
const longestMs = 30_000;

export const backoffMs = (failures: number, random: () => number): number =>
  Math.min(firstMs * 2 ** Math.min(failures, 16), longestMs) * (0.25 + 0.75 * random());

/** Medians and ranges. */
export interface Spread {
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

export const median = (some: readonly number[]): number => {
  const sorted = some.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

export const spread = (some: readonly number[]): Spread => ({
  value: median(some),
  min: Math.min(...some),
  max: Math.max(...some),
});

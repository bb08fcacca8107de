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

export interface Slope {
  readonly value: number;
  /** Twice its standard error: the true one is within that as a rule. */
  readonly error: number;
}

/** Of the line of least squares, for one unit of `x`; of two points or fewer none is known. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope {
  const count = points.length;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / count;
  const [x0, y0] = [mean(0), mean(1)];
  const width = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  const value = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / width;
  const rest = points.reduce((sum, [x, y]) => sum + (y - y0 - value * (x - x0)) ** 2, 0);
  return { value, error: 2 * Math.sqrt(rest / (count - 2) / width) };
}

export const spread = (some: readonly number[]): Spread => ({
  value: median(some),
  min: Math.min(...some),
  max: Math.max(...some),
});

/**
 * The percentile by nearest rank: the smallest value that this share of the values does not exceed. Undefined without
 * values.
 */
export function percentile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

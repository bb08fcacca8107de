/** The smallest of the values that so great a part of them does not exceed (nearest rank). Undefined of none. */
export function percentile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string;
  readonly holds: boolean;
}

/** A figure that may be at most, or must be at least, so much. */
export function figure(
  name: string,
  value: number,
  unit: string,
  goal: { readonly most: number } | { readonly least: number },
): Figure {
  const holds = 'most' in goal ? value <= goal.most : value >= goal.least;
  return { name, value, unit, goal: 'most' in goal ? `≤ ${goal.most}` : `≥ ${goal.least}`, holds };
}

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

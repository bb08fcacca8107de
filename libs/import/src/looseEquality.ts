/** Comparisons of systems that convert the types of what they compare, where CEL would find two types unequal. */
import type { ComparedValue, Comparison } from './expression/celOf.ts';

const isNumeric = ({ value }: ComparedValue): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value));

/** With a number, or a text that is one, both are compared as texts: `"20"` equals 20. */
export function looselyEqual({ operator, left, right }: Comparison): string | undefined {
  if (isNumeric(right) && left.value === undefined)
    return `string(${left.cel}) ${operator} ${JSON.stringify(String(right.value))}`;
  if (isNumeric(left) && right.value === undefined)
    return `${JSON.stringify(String(left.value))} ${operator} string(${right.cel})`;
  return undefined;
}

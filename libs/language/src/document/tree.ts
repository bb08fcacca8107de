/** A document as a mutable tree. */
import { isObject } from '@baton/primitives';

export type Mutable = MutableMap | Mutable[] | null | boolean | number | string;

export interface MutableMap {
  [key: string]: Mutable;
}

/** The value at the end of the path. */
export const at = (root: Mutable, segments: readonly string[]): Mutable | undefined =>
  segments.reduce<Mutable | undefined>(childAt, root);

function childAt(value: Mutable | undefined, key: string): Mutable | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Keys that hold steps. */
export const stepLists = new Set(['steps', 'parallel', 'else', 'onFailure', 'finally', 'onError', 'undo']);

/** The place in the path of the last index into a list of steps. */
export function innermostStep(segments: readonly string[]): number | undefined {
  for (let i = segments.length - 1; i > 0; i--) {
    if (/^\d+$/.test(segments[i] ?? '') && stepLists.has(segments[i - 1] ?? '')) return i;
  }
  return undefined;
}

import { quoted } from './excerpt.ts';
import { segmentsOf } from './pointer.ts';

/** The subject of a sentence about a place: `"timeout"`, `Item 2 of "steps"`. */
export function subjectOf(pointer: string, whole: string): string {
  const segments = segmentsOf(pointer);
  const last = segments.at(-1);
  if (last === undefined) return whole;
  if (!/^\d+$/.test(last)) return quoted(last);
  const list = segments.findLast((one) => !/^\d+$/.test(one));
  return `Item ${Number(last) + 1}${list === undefined ? '' : ` of ${quoted(list)}`}`;
}

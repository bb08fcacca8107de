/** Removes from a text what a person does not see, and the line breaks with which encoded values are wrapped. */
import { invisibleSource, once } from '@baton/primitives';

import { type Slices, unitsPerSlice } from './slices.ts';
import { type TracedText, outputFor } from './tracedText.ts';

/** What a unit of a text begins. */
const kinds = {
  /** Nothing that is removed. */
  seen: 0,
  /** It is removed by itself. */
  unseen: 1,
  /** Perhaps something longer: the pattern decides. */
  perhaps: 2,
} as const;

/** What is removed: what `cleanText` removes; with breaks, also line breaks and the indentation after them. */
interface Unseen {
  /** Sticky. */
  readonly pattern: RegExp;
  /** Of each unit. No process waits for it before its first text. */
  readonly kinds: () => Uint8Array;
}

const longer = new RegExp(String.raw`[\x1B\r\n\x90\x98\x9B\x9D-\x9F]`);

function unseen(source: string): Unseen {
  const single = new RegExp(`^(?:${source})$`, 'u');
  const any = new RegExp(source, 'u');
  const kindOf = (unit: number): number => {
    const character = String.fromCharCode(unit);
    if ((unit & 0xfc_00) === 0xd8_00) {
      const all = Array.from({ length: 0x4_00 }, (_, low) => character + String.fromCharCode(0xdc_00 + low));
      return any.test(all.join('')) ? kinds.perhaps : kinds.seen;
    }
    if (isSurrogate(unit) || !single.test(character)) return kinds.seen;
    return longer.test(character) ? kinds.perhaps : kinds.unseen;
  };
  return {
    pattern: new RegExp(source, 'uy'),
    kinds: once(() => Uint8Array.from({ length: 0x1_00_00 }, (_, unit) => kindOf(unit))),
  };
}

const isSurrogate = (unit: number): boolean => (unit & 0xf8_00) === 0xd8_00;

export const invisibles = unseen(invisibleSource);
export const invisiblesAndBreaks = unseen(String.raw`[\r\n][\r\n\t ]*|${invisibleSource}`);

/** Whether there is nothing in a short text that is removed or decoded: then it need be searched only as it is. */
export function isOrdinary(text: string): boolean {
  const kindOf = invisiblesAndBreaks.kinds();
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (
      kindOf[unit] !== kinds.seen ||
      unit === backslash ||
      unit === percent ||
      unit === ampersand ||
      isSurrogate(unit)
    )
      return false;
  }
  return true;
}

const [backslash, percent, ampersand] = [92, 37, 38];

/** The visible rest; undefined where nothing is removed. */
export function* withoutUnseen(
  text: string,
  { pattern, kinds: kindsOf }: Unseen,
  isTraced: boolean,
): Slices<TracedText | undefined> {
  const kindOf = kindsOf();
  const isWellFormed = text.isWellFormed();
  const output = outputFor(text, isTraced);
  const { length } = text;
  let from = 0;
  let isChanged = false;
  for (let at = 0; at < length;) {
    const until = Math.min(at + unitsPerSlice, length);
    for (; at < until;) {
      const unit = text.charCodeAt(at);
      const kind = kindOf[unit];
      if (kind === kinds.seen && (isWellFormed || !isSurrogate(unit))) {
        at += 1;
        continue;
      }
      pattern.lastIndex = at;
      if (kind === kinds.unseen || pattern.test(text)) {
        if (from < at) output.copy(from, at);
        isChanged = true;
        at = kind === kinds.unseen ? at + 1 : pattern.lastIndex;
        from = at;
      } else at += (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
    }
    if (at < length) {
      output.copy(from, at);
      from = at;
      yield;
    }
  }
  if (!isChanged) return undefined;
  output.copy(from, length);
  return output.result();
}

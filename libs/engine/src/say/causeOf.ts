/** What a failure has in common with others: its message without what differs from run to run. */
import type { Failure } from '../failure.ts';

/** Stands for what was taken out. */
const anything = '…';

/** Characters of a message that are looked at. */
const lookedMax = 1_000;
const causeMax = 300;

/**
 * An apostrophe within a word opens no quotation. No quotation contains what opens it: a server may send a thousand of
 * them, and the time stays in proportion to the message.
 */
const quotation = /"[^"]{0,400}"|“[^“”]{0,400}”|‘[^‘’]{0,400}’|`[^`]{0,400}`|(?<![\p{L}\p{N}])'[^']{0,400}'(?!\p{L})/gu;
const betweenWords = /([\s,;()[\]{}<>="']+)/u;
const repeated = new RegExp(`${anything}(?:[\\s,;]*${anything})+`, 'gu');

/** Words with a digit in them are numbers, ids, times and addresses. The signs that end a clause stay. */
const withoutNumber = (word: string): string =>
  /\p{N}/u.test(word) ? `${anything}${/[^.:!?]([.:!?]*)$/u.exec(word)?.[1] ?? ''}` : word;

/** No half of a surrogate pair at the end. */
const cut = (text: string): string => text.slice(0, causeMax).replace(/[\uD800-\uDBFF]$/, '');

/** On one line. Empty where nothing is left. */
export function causeOf(message: string): string {
  const [own = ''] = message.slice(0, lookedMax).split(' By way of: ');
  const words = own.replaceAll(quotation, anything).split(betweenWords).map(withoutNumber).join('');
  return cut(words.replaceAll(repeated, anything).replaceAll(/\s+/gu, ' ').trim());
}

/** The path of the step without the indices of items and rounds. */
const placeOf = (path: string): string => path.replaceAll(/(?<=\/)\d+(?=\/)/g, anything);

export interface Cause {
  readonly step?: string;
  readonly code: string;
  readonly cause: string;
}

export const causeOfFailure = ({ code, message, step }: Failure): Cause => ({
  ...(step === undefined ? {} : { step: placeOf(step) }),
  code,
  cause: causeOf(message),
});

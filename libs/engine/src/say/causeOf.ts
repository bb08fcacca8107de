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

/** Words before a number that says what went wrong: a status of HTTP, an exit code. */
const codeWords = new Set(['http', 'status', 'statuscode', 'code', 'errno', 'signal']);
const codeForm = /^\d{1,3}[.:!?]*$/;

/** The numbers of errors stay: a 404 is mended in another way than a 500. */
function withoutNumbers(parts: readonly string[]): string {
  let before = '';
  const kept = parts.map((word) => {
    const isCode = codeForm.test(word) && (codeWords.has(before) || before.startsWith('http/'));
    if (/[\p{L}\p{N}]/u.test(word)) before = word.toLowerCase().replace(/[.:!?]+$/, '');
    return isCode ? word : withoutNumber(word);
  });
  return kept.join('');
}

/** On one line. Empty where nothing is left. */
export function causeOf(message: string): string {
  const [own = ''] = message.slice(0, lookedMax).split(' By way of: ');
  const words = withoutNumbers(own.replaceAll(quotation, anything).split(betweenWords));
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

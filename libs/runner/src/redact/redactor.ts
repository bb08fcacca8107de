/**
 * Removes secrets from incoming data, in their likely forms: literal, in base64 and hex, wrapped into lines, and under
 * any mixture of the escapes of JSON, URLs and XML, four levels deep.
 *
 * A secret that is reversed, compressed, encrypted or cut in pieces is not recognised (docs/security.md).
 */
import { FailureError } from '@baton/engine';
import type { Json } from '@baton/primitives';

import { JsonWalk } from './jsonWalk.ts';
import { type Span, LiteralSearch } from './literalSearch.ts';
import { encodedForms, plainForms } from './secretForms.ts';
import { type Slices, runToEnd } from './slices.ts';
import { viewsOf } from './textViews.ts';
import { isOrdinary } from './unseen.ts';

/** Is written in place of a secret. */
export const secretMark = '[secret]';
/** A shorter remainder of a secret that was cut off reveals nothing. */
const restMin = 4;
const cuts = /…|\.\.\./;

/** A text with more occurrences of secrets is removed whole. */
const spansMax = 10_000;

export interface Redactor {
  text(text: string): string;
  /** Of a text that was cut off: also without the rests of secrets at its ends. */
  cutText(text: string): string;
  /** Returns the same object where nothing was removed. */
  json<T extends Json>(value: T): T;
  /** The same in slices. */
  slicesOf<T extends Json>(value: T): Slices<T>;
  failure(error: FailureError): FailureError;
}

const idle: Redactor = {
  text: (text) => text,
  cutText: (text) => text,
  json: (value) => value,
  // oxlint-disable-next-line require-yield -- there is nothing to do.
  *slicesOf(value) {
    return value;
  },
  failure: (error) => error,
};

export function redactor(secrets: readonly string[]): Redactor {
  const plain = [...new Set(secrets.flatMap(plainForms))];
  if (plain.length === 0) return idle;
  const search = new LiteralSearch([...new Set([...plain, ...plain.flatMap(encodedForms)])]);
  const text = (value: string): string => runToEnd(redacted(search, value));
  const values = new JsonWalk({
    text: (value) => redacted(search, value),
    isQuick: (value) => isQuick(search, value),
    isSecret: isNumberIn(plain),
    mark: secretMark,
  });
  const json: Redactor['json'] = (value) => runToEnd(values.walk(value));
  return {
    text,
    cutText: (value) => withoutEnd(withoutBeginning(text(value), plain), plain),
    json,
    slicesOf: (value) => values.walk(value),
    failure: (error) => redactFailure(error, (value) => withoutRests(text(value), plain), json),
  };
}

/** A number that is a secret, with or without its sign. */
function isNumberIn(plain: readonly string[]): (value: number) => boolean {
  const texts = new Set(plain);
  return (value) => texts.has(String(value)) || texts.has(String(Math.abs(value)));
}

/** Longer texts are searched in slices. */
const shortMax = 1_024;

const isQuick = (search: LiteralSearch, text: string): boolean =>
  text.length < search.charactersMin || (text.length <= shortMax && isOrdinary(text) && !search.isInShort(text));

function* redacted(search: LiteralSearch, text: string): Slices<string> {
  if (isQuick(search, text) || !(yield* hasSecret(search, text))) return text;
  const spans = yield* spansIn(search, text);
  return spans.length > spansMax ? secretMark : blanked(text, spans);
}

/** Tests without positions, so that a text without secrets costs as little as possible. */
function* hasSecret(search: LiteralSearch, text: string): Slices<boolean> {
  for (const view of viewsOf(text, false)) {
    if (view === undefined) yield;
    else if (yield* search.isIn(view.text)) return true;
  }
  return false;
}

function* spansIn(search: LiteralSearch, text: string): Slices<readonly Span[]> {
  const spans: Span[] = [];
  for (const view of viewsOf(text, true)) {
    if (view === undefined) yield;
    else
      for (const { start, end } of yield* search.in(view.text, spansMax))
        spans.push({ start: view.startOf(start), end: view.endOf(end) });
    if (spans.length > spansMax) return spans;
  }
  return spans;
}

/** Merges overlapping spans. */
function blanked(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (end <= from) continue;
    if (start >= from) parts.push(text.slice(from, start), secretMark);
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

function redactFailure(error: FailureError, text: (value: string) => string, json: Redactor['json']): FailureError {
  const { failure, delivery, retryAfterMs } = error;
  const details = failure.details === undefined ? {} : { details: json(failure.details) };
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new FailureError(error.code, text(failure.message), { delivery, ...details, ...wait, cause: error.cause });
}

/** Messages contain shortened quotations, which may cut a secret off at either end: removes such remainders. */
function withoutRests(text: string, plain: readonly string[]): string {
  const parts = text.split(cuts);
  if (parts.length === 1) return text;
  const marks = [...text.matchAll(new RegExp(cuts, 'g'))].map(([mark]) => mark);
  return parts
    .map((part, index) => {
      const begun = index === parts.length - 1 ? part : withoutEnd(part, plain);
      const clean = index === 0 ? begun : withoutBeginning(begun, plain);
      return `${clean}${marks[index] ?? ''}`;
    })
    .join('');
}

const quotes = /^["'`]*|["'`]*$/g;

/** Removes the beginning of a secret from the end of the text. */
function withoutEnd(text: string, plain: readonly string[]): string {
  let longest = 0;
  for (const secret of plain) {
    for (let length = Math.min(secret.length - 1, text.length); length >= Math.max(restMin, longest + 1); length--) {
      if (text.endsWith(secret.slice(0, length))) longest = length;
    }
  }
  return longest === 0 ? text : `${text.slice(0, text.length - longest)}${secretMark}`;
}

/** Removes the end of a secret from the beginning of the text, or the text itself if it is the middle of one. */
function withoutBeginning(text: string, plain: readonly string[]): string {
  const bare = text.replaceAll(quotes, '');
  if (bare.length >= restMin && plain.some((secret) => secret.includes(bare))) return text.replace(bare, secretMark);
  let longest = 0;
  for (const secret of plain) {
    for (let length = Math.min(secret.length - 1, text.length); length >= Math.max(restMin, longest + 1); length--) {
      if (text.startsWith(secret.slice(-length))) longest = length;
    }
  }
  return longest === 0 ? text : `${secretMark}${text.slice(longest)}`;
}

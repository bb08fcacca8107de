/**
 * Removes secrets from incoming data, in their likely forms: literal, in base64 and hex, wrapped into lines, and under
 * any mixture of the escapes of JSON, URLs and XML, four levels deep.
 *
 * A secret that is reversed, compressed, encrypted or cut in pieces is not recognised (docs/security.md).
 */
import { FailureError } from '@baton/engine';
import type { Json, JsonObject } from '@baton/language';

import { decoded, decodedText, unwrapped, unwrappedText } from './decodedText.ts';
import type { DecodedText } from './decodedText.ts';
import { LiteralSearch } from './literalSearch.ts';
import type { Span } from './literalSearch.ts';
import { encodedForms, plainForms } from './secretForms.ts';

/** Is written in place of a secret. */
export const secretMark = '[secret]';
/** Levels of escapes; four are, for example, JSON in JSON in JSON in a URL. */
const levelsMax = 4;
/** `checkResult` later refuses deeper values. */
const depthMax = 512;
/** A shorter remainder of a secret that was cut off reveals nothing. */
const restMin = 4;
const cuts = /…|\.\.\./;

export interface Redactor {
  text(text: string): string;
  /** Returns the same object where nothing was removed. */
  json<T extends Json>(value: T): T;
  failure(error: FailureError): FailureError;
}

const idle: Redactor = { text: (text) => text, json: (value) => value, failure: (error) => error };

export function redactor(secrets: readonly string[]): Redactor {
  const plain = [...new Set(secrets.flatMap(plainForms))];
  if (plain.length === 0) return idle;
  const search = new LiteralSearch([...new Set([...plain, ...plain.flatMap(encodedForms)])]);
  const text = (value: string): string => (hasSecret(search, value) ? blanked(value, spansIn(search, value)) : value);
  const json = jsonRedactor(text, new Set(plain));
  return { text, json, failure: (error) => redactFailure(error, (value) => withoutRests(text(value), plain), json) };
}

/** Tests without positions, so that a text without secrets costs as little as possible. */
function hasSecret(search: LiteralSearch, text: string): boolean {
  let view: string | undefined = text;
  for (let level = 0; view !== undefined && level <= levelsMax; level++) {
    if (search.isIn(view)) return true;
    const joined = unwrapped(view);
    if (joined !== undefined && search.isIn(joined)) return true;
    view = decoded(view);
  }
  return false;
}

function spansIn(search: LiteralSearch, text: string): readonly Span[] {
  const spans: Span[] = [];
  let view: DecodedText | undefined = { text, sources: new Int32Array(0) };
  let back = (at: number): number => at;
  for (let level = 0; view !== undefined && level <= levelsMax; level++) {
    const here: (at: number) => number = back;
    for (const { start, end } of search.in(view.text)) spans.push({ start: here(start), end: here(end) });
    const joined = unwrappedText(view.text);
    // The span ends directly after its last character, before removed characters.
    const lastOf = (at: number): number => here((joined?.sources[at - 1] ?? 0) + 1);
    if (joined !== undefined) {
      for (const { start, end } of search.in(joined.text)) {
        spans.push({ start: here(joined.sources[start] ?? 0), end: lastOf(end) });
      }
    }
    view = decodedText(view.text);
    const sources: Int32Array | undefined = view?.sources;
    back = (at) => here(sources?.[at] ?? 0);
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

function jsonRedactor(text: (value: string) => string, plain: ReadonlySet<string>): Redactor['json'] {
  const of = (value: Json, depth: number): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return plain.has(String(value)) ? secretMark : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > depthMax) return secretMark;
    return Array.isArray(value)
      ? ofList(value as readonly Json[], depth + 1)
      : ofObject(value as JsonObject, depth + 1);
  };
  const ofList = (items: readonly Json[], depth: number): Json => {
    let changed: Json[] | undefined;
    for (let index = 0; index < items.length; index++) {
      const item = items[index] ?? null;
      const after = of(item, depth);
      if (after !== item) (changed ??= [...items])[index] = after;
    }
    return changed ?? items;
  };
  const ofObject = (object: JsonObject, depth: number): Json => {
    let changed: Map<string, Json> | undefined;
    for (const key of Object.keys(object)) {
      const item = object[key] ?? null;
      const name = text(key);
      const after = of(item, depth);
      if (name === key && (after === item || object[key] === undefined)) continue;
      changed ??= new Map(Object.entries(object));
      if (name !== key) changed.delete(key);
      changed.set(name, after);
    }
    return changed === undefined ? object : Object.fromEntries(changed);
  };
  // A value keeps its type, except a number that is a secret.
  return <T extends Json>(value: T): T => of(value, 0) as T;
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

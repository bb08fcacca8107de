/**
 * What an author writes in `answers` of a trial: an answer; or `{ $sequence: […] }`, one after the other; `{ $error: … }`,
 * a failure; `{ $lost: true }`, no answer that comes.
 */
import { type Delivery, failureCodes } from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import { type Json, isObject, withHint } from '@baton/primitives';

export type GivenAnswer =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
  | { readonly kind: 'lost' }
  /** What is wrong with it. */
  | { readonly kind: 'wrong'; readonly why: string };

/** `nth`: how often the answers under this name were used before; the last of a sequence stays. */
export function givenAnswer(written: Json, nth: number): GivenAnswer {
  if (!isObject(written)) return { kind: 'value', value: written };
  const [name, ...others] = Object.keys(written);
  if (name === undefined || others.length > 0) return { kind: 'value', value: written };
  const of = written[name] as Json;
  switch (name) {
    case '$sequence': {
      if (!Array.isArray(of) || of.length === 0) return { kind: 'wrong', why: '`$sequence` needs a list of answers.' };
      return givenAnswer((of as readonly Json[])[Math.min(nth, of.length - 1)] ?? null, 0);
    }
    case '$lost':
      return of === true ? { kind: 'lost' } : { kind: 'wrong', why: 'Write `{ "$lost": true }`.' };
    case '$error':
      return givenError(of);
    default:
      return { kind: 'value', value: written };
  }
}

function givenError(of: Json): GivenAnswer {
  const written = typeof of === 'string' ? { code: of } : of;
  const { code, message } = isObject(written) ? written : {};
  if (typeof code !== 'string') return { kind: 'wrong', why: '`$error` needs a `code`, and may have a `message`.' };
  const said = typeof message === 'string' ? message : `The trial says that it failed with ${code}.`;
  return { kind: 'error', code, message: said };
}

/** Undefined if a call can fail so. */
export function whyNoFailure(code: string): string | undefined {
  if (Object.hasOwn(failureCodes, code)) return undefined;
  return withHint(
    `No call fails with the code ${JSON.stringify(code.slice(0, 80))}.`,
    didYouMean(code, Object.keys(failureCodes)),
  );
}

/** How far a call gets that fails so: what decides whether a write may be repeated. */
export function deliveryOf(code: string): Delivery {
  if (unknown.has(code)) return 'unknown';
  if (unsent.has(code)) return 'unsent';
  return rejected.has(code) ? 'rejected' : 'answered';
}

const unknown = new Set(['timeout', 'connection-lost', 'worker-lost', 'outcome-unknown']);
const unsent = new Set([
  'invalid-arguments',
  'tool-not-found',
  'tool-changed',
  'server-unknown',
  'server-unreachable',
  'model-unavailable',
  'caller-absent',
]);
const rejected = new Set(['server-rejected', 'server-overloaded', 'server-unauthorized', 'session-lost']);

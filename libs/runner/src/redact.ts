/** Takes revealed secrets out of whatever comes back, in every form that they are likely to have. */
import { FailureError } from '@baton/engine';
import type { Json } from '@baton/language';

/** Shorter values would blank out ordinary text. */
const lengthMin = 6;

const shown = '[secret]';

export interface Redactor {
  text(text: string): string;
  json(value: Json): Json;
  failure(error: FailureError): FailureError;
}

export function redactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter(({ length }) => length >= lengthMin).flatMap(formsOf))].toSorted(
    (a, b) => b.length - a.length,
  );
  const text = (value: string): string => forms.reduce((rest, form) => rest.replaceAll(form, shown), value);
  const json = (value: Json): Json => {
    if (forms.length === 0) return value;
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map(json);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), json(item)]));
  };
  return {
    text,
    json,
    failure: (error) => {
      const { failure, delivery, retryAfterMs } = error;
      const details = failure.details === undefined ? {} : { details: json(failure.details) };
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
      return new FailureError(error.code, text(failure.message), { delivery, ...details, ...wait, cause: error.cause });
    },
  };
}

/** As it is, in base64 (both alphabets), in a URL, and inside a JSON string. */
function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  return [secret, ...base64Forms(secret), encodeURIComponent(secret), form, JSON.stringify(secret).slice(1, -1)];
}

/**
 * Also where it is part of a longer text that was put into base64, as in `Authorization: Basic`: then it begins at one of
 * three places within the groups of four, and what it shares with its neighbours is left off.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    const inner = (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, until));
    return before === 0 ? [...inner, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')] : inner;
  });
}

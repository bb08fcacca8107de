import { FailureError } from '@baton/engine';
/** Takes revealed secrets out of whatever comes back, in every form that they are likely to have. */
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
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, base64, bytes.toString('base64url'), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** Postgres's `text` holds neither NUL nor half a surrogate pair; `json` columns take both, escaped. */
import { FailureError } from '@baton/engine';
import { isStorableText } from '@baton/primitives';

export const isStorable = isStorableText;

/** Checks text from outside. Throws `FailureError` (invalid-inputs) that names `what`. */
export function checkStorable(what: string, ...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text === undefined || isStorable(text)) continue;
    throw new FailureError('invalid-inputs', `The ${what} must be well-formed Unicode without NUL characters.`);
  }
}

/** Postgres's `text` holds neither NUL nor half a surrogate pair; `json` columns take both, escaped. */
import { FailureError } from '@baton/engine';

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Checks text from outside. Throws `FailureError` (invalid-inputs) that names `what`. */
export function checkStorable(what: string, ...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text === undefined || isStorable(text)) continue;
    throw new FailureError('invalid-inputs', `The ${what} must be well-formed Unicode without NUL characters.`);
  }
}

/** Writes one value into the text of a configuration. Comments, and the order of everything else, stay. */
import { applyEdits, modify } from 'jsonc-parser';

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };

/** `value` undefined: removes the key. */
export const withValue = (text: string, path: readonly string[], value: unknown): string =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions }));

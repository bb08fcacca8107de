import type { Ajv, Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

import type { Spend } from './spend.ts';

/** Formats use native regular expressions, which are fast on short texts; no longer text is a date or an address. */
const formatCharacters = 2_048;

/**
 * Some patterns backtrack: the worst text of that length takes two milliseconds for `url`, and a tenth of that for
 * others.
 */
const squaresPerUnit = (name: string): number => (name === 'url' ? 32 : 400);

export function addFormats(ajv: Ajv, spend: Spend): void {
  for (const [name, format] of Object.entries(fullFormats)) {
    const test = testOf(format);
    if (test === undefined) continue;
    const perUnit = squaresPerUnit(name);
    ajv.addFormat(name, (text: string) => {
      if (text.length > formatCharacters) return false;
      spend.charge(text.length ** 2 / perUnit);
      return test(text);
    });
  }
}

function testOf(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  if (typeof format !== 'object' || !('validate' in format)) return undefined;
  // Formats of numbers do not apply to texts.
  return format.type === 'number' ? undefined : testOf(format.validate as Format);
}

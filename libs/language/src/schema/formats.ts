import type { Ajv, Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

import type { Spend } from './spend.ts';

/** Their patterns are native regular expressions: fast on what is short, and nothing longer is a date or an address. */
const formatCharacters = 2_048;

/**
 * Some of them go back and forth: the longest text that would mislead `url` takes two milliseconds, others a tenth of
 * that.
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
  // Formats of numbers do not say anything about texts.
  return format.type === 'number' ? undefined : testOf(format.validate as Format);
}

import type { Ajv, Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Their patterns are native regular expressions: fast on what is short, and nothing longer is a date or an address. */
const formatCharacters = 2_048;

export function addFormats(ajv: Ajv): void {
  for (const [name, format] of Object.entries(fullFormats)) {
    const test = testOf(format);
    if (test !== undefined) ajv.addFormat(name, (text: string) => text.length <= formatCharacters && test(text));
  }
}

function testOf(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  if (typeof format !== 'object' || !('validate' in format)) return undefined;
  // Formats of numbers do not say anything about texts.
  return format.type === 'number' ? undefined : testOf(format.validate as Format);
}

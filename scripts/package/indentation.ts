/** Takes the tabs from the beginning of each line, and keeps the source map true. */

/** `mappings`: of the source map, as its specification (ECMA-426) writes them. */
interface MappedCode {
  readonly code: string;
  readonly mappings: string;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * No text of the code may have a line that begins with a tab. A segment counts its column from the segment before it in
 * the line: only the first one of a line changes.
 */
export function withoutIndentation({ code, mappings }: MappedCode): MappedCode {
  const mapped = mappings.split(';');
  const lines = code.split('\n').map((line, at) => {
    const rest = line.replace(/^\t+/, '');
    mapped[at] = movedLeft(mapped[at] ?? '', line.length - rest.length);
    return rest;
  });
  return { code: lines.join('\n'), mappings: mapped.join(';') };
}

function movedLeft(segments: string, by: number): string {
  if (segments === '' || by === 0) return segments;
  const first = /^[g-z0-9+/]*[A-Za-f]/.exec(segments)?.[0] ?? '';
  // The lowest bit of a number is its sign, and a first column has none.
  const values = Array.from(first, (digit) => digits.indexOf(digit) % 32);
  const column = values.reduceRight((all, value) => all * 32 + value, 0) / 2;
  return numberInDigits(Math.max(0, column - by) * 2) + segments.slice(first.length);
}

function numberInDigits(value: number): string {
  const digit = value % 32;
  return value < 32 ? (digits[digit] ?? '') : (digits[digit + 32] ?? '') + numberInDigits(Math.floor(value / 32));
}

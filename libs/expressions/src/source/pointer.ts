/** JSON pointers (RFC 6901). */

export type Segment = string | number;

export const pointerTo = (segments: readonly Segment[]): string => segments.map((one) => `/${escaped(one)}`).join('');

export const childOf = (pointer: string, segment: Segment): string => `${pointer}/${escaped(segment)}`;

function escaped(segment: Segment): string {
  const text = String(segment);
  // Nearly all have neither.
  return text.includes('~') || text.includes('/') ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

export function segmentsOf(pointer: string): string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'));
}

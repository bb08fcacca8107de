/** JSON pointers (RFC 6901). */

export type Segment = string | number;

export const pointerTo = (segments: readonly Segment[]): string => segments.map((one) => `/${escaped(one)}`).join('');

export const childOf = (pointer: string, segment: Segment): string => `${pointer}/${escaped(segment)}`;

const escaped = (segment: Segment): string => String(segment).replaceAll('~', '~0').replaceAll('/', '~1');

export function segmentsOf(pointer: string): string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'));
}

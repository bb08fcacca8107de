const stepPx = 16;

/** The left padding of a label that begins with a toggle, in pixels. */
export const labelIndent = (depth: number): number => 8 + depth * stepPx;

/** That of a text without a toggle, which begins where the marks of its neighbours do. */
export const textIndent = (depth: number): number => labelIndent(depth) + 16;

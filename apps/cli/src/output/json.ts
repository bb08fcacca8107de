/** JSON that is safe on a terminal: complete, and without characters that move the cursor or are not seen. */
import { withEscapes } from '@baton/primitives';

/** On one line, or indented by two. */
export const jsonText = (value: unknown, shape: 'line' | 'indented' = 'indented'): string =>
  withEscapes(JSON.stringify(value ?? null, undefined, shape === 'line' ? 0 : 2));

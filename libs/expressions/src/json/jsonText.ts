import { parseExactly, type Json } from '@baton/primitives';

import { limits } from '../limits.ts';

/**
 * The value of a JSON text, with integers that JSON numbers cannot hold as texts; undefined where the text is no JSON,
 * or nests deeper than a value of a run may (`limits.value.depth`). A deeper value would exhaust the stack of a function
 * that walks through it.
 */
export function parseJsonText(text: string): Json | undefined {
  if (isNestedTooDeep(text, limits.value.depth)) return undefined;
  try {
    return parseExactly(text) as Json;
  } catch {
    return undefined;
  }
}

/** Whether more than `levels` lists and maps are open at once. Reads the text once, and makes no value of it. */
export function isNestedTooDeep(text: string, levels: number): boolean {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText && code === 0x5c) i++;
    else if (code === 0x22) isText = !isText;
    else if (!isText && (code === 0x7b || code === 0x5b)) {
      if (++depth > levels) return true;
    } else if (!isText && (code === 0x7d || code === 0x5d)) depth--;
  }
  return false;
}

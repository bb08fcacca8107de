/** Parses and formats JSON. */
import type { Json } from '@baton/language';

/** The value, or why the text is not JSON. */
export function parseJson(text: string): { readonly value: Json } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}

export const prettyJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';

import type { Json } from '@baton/language';

/** The reply of a run to a device: the output `reply`, or the only one there is, where that is text; else all as JSON. */
export function replyIn(outputs: Json | undefined): string {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return JSON.stringify(outputs ?? {});
  const entries: readonly (readonly [string, Json])[] = Object.entries(outputs);
  const [, reply] = entries.find(([name]) => name === 'reply') ?? (entries.length === 1 ? entries[0] : undefined) ?? [];
  return typeof reply === 'string' ? reply : JSON.stringify(outputs);
}

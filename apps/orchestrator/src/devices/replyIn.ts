import type { Json } from '@baton/primitives';

/**
 * Finds a run's reply to a device: the output `reply`, else a single output, if it is a text; else all outputs as JSON.
 */
export function replyIn(outputs: Json | undefined): string {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return JSON.stringify(outputs ?? {});
  const entries: readonly (readonly [string, Json])[] = Object.entries(outputs);
  const [, reply] = entries.find(([name]) => name === 'reply') ?? (entries.length === 1 ? entries[0] : undefined) ?? [];
  return typeof reply === 'string' ? reply : JSON.stringify(outputs);
}

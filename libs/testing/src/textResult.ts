import type { Json, JsonObject } from '@baton/primitives';

/** What a tool that answers with `value` as JSON text would send. */
export const textResult = (value: Json): JsonObject => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

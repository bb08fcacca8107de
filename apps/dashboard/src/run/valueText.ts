/** A value in one line: of the result of a tool what it says, else JSON. */
import type { Value } from '@baton/engine';
import { type Json, isObject } from '@baton/primitives';

const charactersMax = 400;

export function valueText(value: Value): string {
  if ('hidden' in value) return 'hidden';
  if ('blob' in value) return value.blob.preview.slice(0, charactersMax);
  if ('list' in value) return value.list.map(valueText).join(', ').slice(0, charactersMax);
  return (saidIn(value.json) ?? JSON.stringify(value.json)).slice(0, charactersMax);
}

/** Undefined: it is no result of a tool. */
function saidIn(json: Json): string | undefined {
  if (!isObject(json) || !Array.isArray(json['content'])) return undefined;
  const { structuredContent, content } = json;
  if (isObject(structuredContent) && Object.keys(structuredContent).length > 0)
    return JSON.stringify(structuredContent);
  const texts = content.map((part) =>
    isObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
  );
  return texts.join(' ').replaceAll(/\s+/g, ' ').trim();
}

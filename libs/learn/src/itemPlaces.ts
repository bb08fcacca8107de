/** Lists the values in an item of a loop: its members, and the parts of a line of text. */
import { literal } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import { type Place, placesIn } from './places.ts';

/** The label before a value in a line: `[FILE] `, `- `, `1. `, `name: `. */
const label = /^(?:\[[^\]\d]+\]\s+|[-*•]\s+|[A-Za-z][A-Za-z _-]*:\s+)/;
const separators = [': ', ' - ', ' | ', ', ', '\t', ' ('];

export const itemName = 'item';

export function itemPlaces(item: Json): readonly Place[] {
  const own = placesIn({ expression: itemName, key: itemName, step: undefined, order: Infinity }, item);
  const parts = own.flatMap(partsOf);
  return [...own, ...parts, ...parts.flatMap(partsOf)];
}

function partsOf({ expression, value, key, order, depth }: Place): readonly Place[] {
  if (typeof value !== 'string' || value.length > 2_000) return [];
  const parts: { expression: string; value: string }[] = [];
  const before = label.exec(value)?.[0];
  if (before !== undefined && value.split(before).length === 2) {
    parts.push({ expression: `${expression}.split(${literal(before)})[1]`, value: value.slice(before.length) });
  }
  if (value.includes('/')) {
    parts.push({ expression: `last(${expression}.split("/"))`, value: value.split('/').at(-1) ?? '' });
  }
  const file = value.split('/').at(-1) ?? '';
  const stem = file.split('.')[0] ?? '';
  if (/^[^./]+\.\w+$/.test(file)) {
    const name = value.includes('/') ? `last(${expression}.split("/"))` : expression;
    parts.push({ expression: `${name}.split(".")[0]`, value: stem });
  }
  for (const separator of separators) {
    const fields = value.split(separator);
    if (fields.length < 2 || fields.length > 12) continue;
    for (const [index, field] of fields.entries()) {
      parts.push({ expression: `${expression}.split(${literal(separator)})[${index}]`, value: field });
    }
  }
  return parts
    .filter((part) => part.value.length >= 2)
    .map((part) => ({ ...part, key, step: undefined, order, depth: depth + 1, inList: undefined }));
}

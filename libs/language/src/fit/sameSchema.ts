/** Whether schemas, or keywords of them, are equal, the words for people aside. */
import { vocabulary } from '@baton/expressions';
import { isObject, isSameJson, type Json, type JsonObject } from '@baton/primitives';

import { isSilent } from './schemaParts.ts';

export const isSameSchema = (a: Json, b: Json): boolean => isSameJson(bare(a), bare(b));

/** Both have the keyword with equal schemas or values, or neither has it. */
export const isSameKeyword = (keyword: string, a: JsonObject, b: JsonObject): boolean =>
  isSameSchema(only(keyword, a), only(keyword, b));

const only = (keyword: string, schema: JsonObject): JsonObject =>
  Object.hasOwn(schema, keyword) ? { [keyword]: schema[keyword] ?? null } : {};

/** Of MCP's keywords, `x-mcp-header` decides what a call sends as a header. */
export const isForPeople = (keyword: string): boolean => isSilent(keyword) && !keyword.startsWith('x-mcp-');

/** Silent keywords to which references may lead. */
const isPlace = (keyword: string): boolean => ['$id', '$anchor', '$defs', 'definitions'].includes(keyword);

/** Without the words for people. What no schema holds, as the names in `required`, stays as it is. */
function bare(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => bare(one));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => isPlace(keyword) || !isForPeople(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, bareValue(keyword, value)]));
}

function bareValue(keyword: string, value: Json): Json {
  switch (vocabulary.get(keyword)) {
    case undefined:
    case 'nothing':
      return value;
    case 'named schemas':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bare(one)]))
        : value;
    default:
      return bare(value);
  }
}

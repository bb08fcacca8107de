/** Translates `set` of n8n (Edit Fields), in all formats that n8n has used. */
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { dig, listOf, mapOf, textOf } from '../json.ts';
import { type Translate, parsed, setOf, value } from './nodeDraft.ts';
import type { N8nNode } from './readN8n.ts';

/** The fields of `set`, in the four forms that n8n has used. */
function assigned(node: N8nNode): readonly (readonly [name: string, value: Json, keys: readonly string[]])[] {
  const { parameters } = node;
  const rows = (...keys: readonly string[]): [string, Json, string[]][] =>
    listOf(dig(parameters, ...keys)).flatMap((one, i): [string, Json, string[]][] => {
      const fields = mapOf(one);
      const name = textOf(fields['name']);
      const key = Object.keys(fields).find((own) => /value$/i.test(own)) ?? 'value';
      return name === undefined || name === ''
        ? []
        : [[name.replace(/^=/, ''), typedValue(fields, key), [...keys, String(i), key]]];
    });
  return [
    ...rows('assignments', 'assignments'),
    ...rows('fields', 'values'),
    ...['string', 'number', 'boolean'].flatMap((type) => rows('values', type)),
  ];
}

/** Converts a value by its declared type: n8n stores numbers and lists as text. */
function typedValue(fields: JsonObject, key: string): Json {
  const given = fields[key] ?? '';
  const type = textOf(fields['type']) ?? '';
  if (typeof given !== 'string' || given.startsWith('=') || !/number|array|object|boolean/i.test(`${type}${key}`))
    return given;
  try {
    return JSON.parse(given) as Json;
  } catch {
    return given;
  }
}

export const set: Translate = (node, context) => {
  const { parameters, name } = node;
  const raw = parameters['jsonOutput'];
  const rows = assigned(node);
  if (parameters['mode'] === 'raw' && raw !== undefined) {
    const whole = value(node, context, parsed(raw), 'jsonOutput');
    if (isObject(whole)) return setOf(name, whole, context);
    return setOf(name, { value: whole }, context, 'value');
  }
  if (rows.length === 0) return undefined;
  const values: JsonObject = {};
  for (const [field, given, keys] of rows) assign(values, field.split('.'), value(node, context, given, ...keys));
  return setOf(name, values, context, undefined, !isAlone(node));
};

/** Whether the node drops its input and passes only its own fields on. */
function isAlone({ parameters, version }: N8nNode): boolean {
  if (version < 3) return parameters['keepOnlySet'] === true;
  if (version < 3.3) return parameters['include'] === 'none';
  return parameters['includeOtherFields'] !== true;
}

function assign(values: Record<string, Json>, [first = '', ...rest]: readonly string[], given: Json): void {
  if (rest.length === 0) values[first] = given;
  else {
    const inner = { ...mapOf(values[first]) };
    assign(inner, rest, given);
    values[first] = inner;
  }
}

/** Types and schemas in a few words, as completions and hovers show them. */
import { type Type, alternatives, excerpt } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import { type SchemaNode, keywordOf } from './schemaNode.ts';

const depthMax = 3;
const fieldsMax = 8;
const valuesMax = 6;

const words: Readonly<Record<string, string>> = { text: 'text', duration: 'duration', type: 'type', any: 'any' };

/** `{ number, title: text, labels?: list of text }` */
export function typeText(type: Type, depth = 0): string {
  switch (type.kind) {
    case 'list':
      return type.of.kind === 'any' ? 'list' : `list of ${typeText(type.of, depth + 1)}`;
    case 'optional':
      return `${typeText(type.of, depth)}, or none`;
    case 'union':
      return alternatives(type)
        .map((one) => typeText(one, depth + 1))
        .join(' | ');
    case 'map':
      return mapText(type, depth);
    case 'any':
      return 'any';
    default:
      if (type.values !== undefined && type.values.length <= valuesMax)
        return type.values.map((one) => excerpt(JSON.stringify(one), 40)).join(' | ');
      return type.isWhole === true ? 'integer' : (words[type.kind] ?? type.kind);
  }
}

function mapText({ fields, rest }: Extract<Type, { kind: 'map' }>, depth: number): string {
  if (fields.size === 0 && rest === undefined) return '{}';
  if (fields.size === 0 && rest !== undefined)
    return rest.kind === 'any' ? 'map' : `map of ${typeText(rest, depth + 1)}`;
  if (depth >= depthMax) return 'map';
  const shown = [...fields].slice(0, fieldsMax).map(([key, one]) => {
    const of = typeText(one.type, depth + 1);
    return `${key}${one.isOptional === true ? '?' : ''}${of === 'any' ? '' : `: ${of}`}`;
  });
  const isMore = fields.size > fieldsMax || rest !== undefined;
  return `{ ${[...shown, ...(isMore ? ['…'] : [])].join(', ')} }`;
}

const kindWords: Readonly<Record<string, string>> = { string: 'text', array: 'list', object: 'map' };

/** `text`, `"open" | "closed"`, `integer`; the kind of values of a schema. */
export function schemaText(nodes: readonly SchemaNode[]): string {
  const said = nodes.flatMap((node) => {
    const values = keywordOf(node, 'enum');
    if (Array.isArray(values) && values.length <= valuesMax)
      return (values as readonly Json[]).map((one) => excerpt(JSON.stringify(one), 40));
    const constant = keywordOf(node, 'const');
    if (constant !== undefined) return [excerpt(JSON.stringify(constant), 40)];
    return [keywordOf(node, 'type')].flat().flatMap((one) => (typeof one === 'string' ? [kindWords[one] ?? one] : []));
  });
  return [...new Set(said)].join(' | ');
}

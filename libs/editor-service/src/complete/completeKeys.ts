/** Completes keys: of the language, of a tool's arguments, of a schema. */
import { excerpt } from '@baton/expressions';
import type { CheckOptions } from '@baton/language';
import { isObject, type Json } from '@baton/primitives';

import type { Cursor } from '../reading/cursor.ts';
import { type FilePlace, placeAt } from '../reading/filePlace.ts';
import { type SchemaNode, type SchemaProperty, propertiesAt, keywordOf, unfold } from '../schemas/schemaNode.ts';
import { schemaText } from '../schemas/typeText.ts';
import type { Completion, CompletionKind } from './completion.ts';
import { flowSnippet, keySnippet, verbSnippet } from './snippets.ts';

export function completeKeys(cursor: Cursor, known: CheckOptions): Completion[] {
  const place = placeAt(cursor.value, cursor.pointer, known);
  const written = isObject(place.value) ? Object.keys(place.value).filter((key) => key !== cursor.text) : [];
  const isFree = ({ name }: SchemaProperty): boolean => !written.includes(name);
  const verbs = verbsAt(place, written);
  const offered = propertiesAt(place.nodes).filter(isFree);
  const common = verbs.length === 0 ? offered : offered.filter(({ name }) => isInAll(place.nodes, name));
  const ordered = place.isForeign ? [...common].sort((a, b) => Number(b.isRequired) - Number(a.isRequired)) : common;
  return [
    ...verbs.map((verb) => verbItem(cursor, verb, place)),
    ...ordered.map((one) => keyItem(cursor, one, place.isForeign ? 'argument' : 'key')),
  ];
}

const isInAll = (nodes: readonly SchemaNode[], name: string): boolean =>
  nodes.every(({ schema }) => isObject(schema['properties']) && Object.hasOwn(schema['properties'], name));

/** The verbs, if the step has none yet. */
function verbsAt({ declared }: FilePlace, written: readonly string[]): string[] {
  const choices = declared.flatMap((one) => choicesOf(one));
  return choices.some((one) => written.includes(one)) ? [] : choices;
}

function choicesOf(node: SchemaNode): string[] {
  const own = keywordOf(node, 'choices');
  if (Array.isArray(own)) return (own as readonly Json[]).filter((one) => typeof one === 'string');
  const { anyOf } = node.schema;
  if (!Array.isArray(anyOf)) return [];
  return (anyOf as readonly Json[]).flatMap((one) =>
    isObject(one) ? choicesOf({ schema: one, root: node.root }) : [],
  );
}

function verbItem(cursor: Cursor, verb: string, { declared }: FilePlace): Completion {
  const shape = declared.flatMap((one) => unfold(one, { [verb]: null })).filter(({ schema }) => hasKey(schema, verb));
  const [first] = shape;
  const said = first === undefined ? undefined : (keywordOf(first, 'description') ?? describedAs(first, verb));
  return {
    ...inserted(
      cursor,
      cursor.isFlow ? flowSnippet(verb) : verbSnippet(verb, shape.slice(0, 1), indentOf(cursor)),
      verb,
    ),
    label: verb,
    kind: 'verb',
    ...(typeof said === 'string' ? { about: said } : {}),
  };
}

const hasKey = (schema: SchemaNode['schema'], key: string): boolean =>
  isObject(schema['properties']) && Object.hasOwn(schema['properties'], key);

const describedAs = (node: SchemaNode, key: string): Json | undefined => {
  const property = propertiesAt([node]).find(({ name }) => name === key);
  return property && keywordOf(property, 'description');
};

function keyItem(cursor: Cursor, property: SchemaProperty, kind: CompletionKind): Completion {
  const { name, isRequired } = property;
  const said = keywordOf(property, 'description') ?? keywordOf(property, 'title');
  const snippet = cursor.isFlow ? flowSnippet(name) : keySnippet(property, indentOf(cursor));
  return {
    ...inserted(cursor, snippet, name),
    label: name,
    kind,
    detail: detailOf(property),
    ...(typeof said === 'string' ? { about: said } : {}),
    ...(isRequired ? { isRequired } : {}),
  };
}

/** `required text`, `integer, default 10`. */
export function detailOf(property: SchemaProperty): string {
  const type = schemaText(unfold(property, undefined));
  const preset = keywordOf(property, 'default');
  const kind = `${property.isRequired ? 'required ' : ''}${type === '' ? 'any' : type}`;
  return preset === undefined ? kind : `${kind}, default ${excerpt(JSON.stringify(preset), 40)}`;
}

/** Inserts only the name if text already follows it. */
const inserted = (
  cursor: Cursor,
  snippet: string,
  name: string,
): Pick<Completion, 'insert' | 'isSnippet' | 'replace'> =>
  cursor.isNew
    ? { insert: snippet, isSnippet: true, replace: cursor.whole }
    : { insert: name, isSnippet: false, replace: cursor.whole };

/** Editors indent further lines like the current one; after `- ` the keys need more. */
const indentOf = ({ linePrefix }: Cursor): string => ' '.repeat(linePrefix.trimStart().length);

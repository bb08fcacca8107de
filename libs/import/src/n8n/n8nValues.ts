/** Resolves values and names in the expressions of n8n. */
import { literal } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import { type NameMeanings, type NamePath, type PathPart, joined, optionalPath } from '../expression/celOf.ts';
import { javascriptCall, javascriptMethod } from '../expression/javascriptFunctions.ts';
import { UnmappedError } from '../expression/syntax.ts';
import { type Import, type WrittenPlace, plain } from '../importing.ts';
import { mapOf, mapTexts } from '../json.ts';
import { looselyEqual } from '../looseEquality.ts';
import { n8nMarks, onlyExpression, partsOf } from '../marked.ts';
import type { N8nWorkflow } from './readN8n.ts';

/** Makes the CEL of a node's output, or of a part of it. `isOptional`: the node may not have run. */
export type ReadOutput = (path: readonly PathPart[], isOptional: boolean) => string;

export const outputOfStep =
  (id: string, ...fields: readonly string[]): ReadOutput =>
  (path, isOptional) => {
    const whole = [...(fields.length === 0 ? ['output'] : fields), ...path];
    return isOptional ? optionalPath(`steps.?${id}`, whole) : joined(`steps.${id}`, whole);
  };

/** The names that a place of the workflow can read. */
export interface N8nNames {
  /** `$json`: the output of the previous node. */
  readonly input: (path: readonly PathPart[]) => string;
  /** `$('Name')`. */
  readonly node: (name: string, path: readonly PathPart[]) => string;
  readonly isInLoop: boolean;
  readonly workflow: Pick<N8nWorkflow, 'name' | 'timezone'>;
}

const oneItem = new Set<PathPart | undefined>(['item', 'first', 'last']);

/** Strips `item.json`, `first().json`, `json` and `data` from the beginning. */
function ofItem(path: readonly PathPart[]): readonly PathPart[] {
  const rest = oneItem.has(path[0]) ? path.slice(1) : path;
  if (rest[0] === 'json' || rest[0] === 'data') return rest.slice(1);
  throw new UnmappedError(
    path[0] === 'all' ? 'Baton cannot read all items of a node at once' : 'it reads more than the JSON of an item',
  );
}

const meaningsAt = (names: N8nNames, place: WrittenPlace): NameMeanings => ({
  read: (path) => read(names, place, path),
  call: (name, args) => {
    if (name === 'new Date' || name === 'DateTime.now') noteNow(place);
    return javascriptCall(name, args);
  },
  method: (name, of, args) => javascriptMethod(name, of, args, names.workflow.timezone),
  compare: (comparison) => (comparison.isStrict ? undefined : looselyEqual(comparison)),
});

function noteNow({ importing, pointer }: WrittenPlace): void {
  const message = 'n8n reads the clock when the node runs; here it is the start of the run.';
  importing.noteOnce('differs', { pointer, message });
}

function read(names: N8nNames, place: WrittenPlace, { name, argument, path }: NamePath): string {
  const [first, ...rest] = path;
  switch (name) {
    case '$json':
      return names.input(path);
    case '$input':
      return names.input(ofItem(path));
    case '$':
      return names.node(String(argument), ofItem(path));
    case '$node':
      return names.node(String(first), ofItem(rest));
    case '$now':
      noteNow(place);
      return 'run.startedAt';
    case '$today':
      throw new UnmappedError('Baton has no start of the day: compute it with formatTime');
    case '$execution':
      if (first === 'id') return 'run.id';
      break;
    case '$workflow':
      if (first === 'name') return literal(names.workflow.name);
      if (first === 'id') return 'run.workflow';
      break;
    case '$itemIndex':
    case '$runIndex':
      if (names.isInLoop) return 'index';
      break;
    case '$env':
    case '$vars':
      throw new UnmappedError(`Baton has no ${name}: make it an input or a secret`);
  }
  throw new UnmappedError(`${name} has no counterpart`);
}

/** A parameter: texts that begin with `=` hold expressions. */
export function valueOf(importing: Import, value: Json, pointer: string, names: N8nNames): Json {
  return mapTexts(withoutLocators(value), pointer, (text, at) =>
    text.startsWith('=')
      ? importing.template(text.slice(1).trim(), at, meaningsAt(names, { importing, pointer: at }))
      : plain(text),
  );
}

/** n8n stores a value that was picked from a list together with its label; only the value counts. */
function withoutLocators(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => withoutLocators(one));
  if (value === null || typeof value !== 'object') return value;
  const map = mapOf(value);
  if (map['__rl'] === true) return map['value'] ?? '';
  return Object.fromEntries(Object.entries(map).map(([key, one]) => [key, withoutLocators(one)]));
}

/** One side of a comparison as CEL. */
export function operandOf(importing: Import, value: Json | undefined, pointer: string, names: N8nNames): string {
  if (value === undefined) return '""';
  if (typeof value !== 'string' || !value.startsWith('=')) return JSON.stringify(value);
  const meanings = meaningsAt(names, { importing, pointer });
  const celAt = (code: string): string => importing.expression(code, pointer, meanings);
  const text = value.slice(1);
  const only = onlyExpression(text, n8nMarks);
  if (only !== undefined) return celAt(only);
  const parts = partsOf(text, n8nMarks).map((part, i) =>
    i % 2 === 0 ? JSON.stringify(part) : `string(${celAt(part)})`,
  );
  return parts.filter((part) => part !== '""').join(' + ') || '""';
}

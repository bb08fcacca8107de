/**
 * Makes a JSON Schema of what a server sent for one.
 *
 * What is certain is repaired: `null` for a keyword that is not set, `[]` for an empty object, digits for a number that
 * JavaScript does not hold, the forms of older drafts. A keyword whose value means nothing in JSON Schema is left out and
 * named: that part of the schema is taken on trust, and the rest is checked.
 */
import { defined, isObject, type Json, type JsonObject } from '@baton/primitives';

import { limits } from '../limits.ts';
import { kindOf } from '../source/kind.ts';
import { childOf } from '../source/pointer.ts';
import { namesIn, readKeyword } from './keywordValue.ts';
import { isNestedDeeper } from './schemaCost.ts';
import { vocabulary } from './vocabulary.ts';

/** A part of a schema that is not checked. */
export interface TrustedPart {
  /** Of the keyword; empty: the schema as a whole. */
  readonly pointer: string;
  /** Why Baton cannot use it, as a sentence. */
  readonly why: string;
}

export interface SoundSchema {
  readonly schema: JsonObject;
  readonly trusted: readonly TrustedPart[];
}

/** A schema that no value contradicts. */
const anything: JsonObject = { type: 'object' };
const known = new WeakMap<object, SoundSchema>();

/** `sent`: the schema of a tool's arguments or results, which are objects. */
export function soundSchema(sent: unknown): SoundSchema {
  if (typeof sent !== 'object' || sent === null) return soundRoot(sent as Json | undefined);
  const sound = known.get(sent) ?? soundRoot(sent as Json);
  known.set(sent, sound);
  return sound;
}

function soundRoot(sent: Json | undefined): SoundSchema {
  if (sent === undefined || sent === null || sent === true || isEmptyList(sent))
    return { schema: anything, trusted: [] };
  if (!isObject(sent)) return { schema: anything, trusted: [{ pointer: '', why: `It is ${kindOf(sent)}.` }] };
  if (isNestedDeeper(sent, limits.schema.depth * 3)) {
    const why = `It is nested more than ${limits.schema.depth} schemas deep.`;
    return { schema: anything, trusted: [{ pointer: '', why }] };
  }
  const reading = new SchemaReading(sent['$schema']);
  const schema = reading.schema(sent, '');
  // The same object where nothing was wrong: it may be known already.
  return { schema: JSON.stringify(schema) === JSON.stringify(sent) ? sent : schema, trusted: reading.trusted };
}

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** Keywords whose `null` is a value. */
const nullable: ReadonlySet<string> = new Set(['default', 'const']);

class SchemaReading {
  readonly trusted: TrustedPart[] = [];
  /** `items` may be a list, and `exclusiveMinimum` a flag, as the declared draft has it. */
  readonly #keepsTuples: boolean;
  readonly #keepsDialect: boolean;

  constructor(dialect: Json | undefined) {
    const declared = typeof dialect === 'string' ? dialect : '';
    this.#keepsTuples = /\/draft-0[67]\//.test(declared);
    this.#keepsDialect = this.#keepsTuples || /\/draft\/20(?:19-09|20-12)\//.test(declared);
  }

  schema(sent: JsonObject, pointer: string): JsonObject {
    const entries = Object.entries(this.#inNewForm(sent)).flatMap(([keyword, value]): [string, Json][] => {
      if (value === null && !nullable.has(keyword)) return [];
      if (keyword === '$schema' && !this.#keepsDialect) return [];
      const read = this.#keyword(keyword, value, childOf(pointer, keyword));
      return read === undefined ? [] : [[keyword, read]];
    });
    return Object.fromEntries(entries);
  }

  /** Undefined: the keyword is left out. */
  #keyword(keyword: string, value: Json, pointer: string): Json | undefined {
    switch (vocabulary.get(keyword)) {
      case 'schema':
        return this.#inner(value, pointer);
      case 'schema or schemas':
        return this.#keepsTuples && Array.isArray(value) && value.length > 0
          ? this.#list(value, pointer)
          : this.#inner(value, pointer);
      case 'schemas':
        return Array.isArray(value) && value.length > 0
          ? this.#list(value, pointer)
          : this.#trust(pointer, 'It takes a list of schemas.');
      case 'named schemas':
        return this.#named(keyword, value, pointer);
      default:
        return this.#plain(keyword, value, pointer);
    }
  }

  #plain(keyword: string, value: Json, pointer: string): Json | undefined {
    const read = readKeyword(keyword, value);
    if (read === undefined || !('why' in read)) return read?.value;
    return read.isSilent ? undefined : this.#trust(pointer, read.why);
  }

  #inner(value: Json, pointer: string): Json | undefined {
    if (typeof value === 'boolean') return value;
    if (value === null || isEmptyList(value)) return {};
    return isObject(value)
      ? this.schema(value, pointer)
      : this.#trust(pointer, `It takes a schema, and not ${kindOf(value)}.`);
  }

  #list(values: readonly Json[], pointer: string): Json {
    return values.map((one, at) => this.#inner(one, childOf(pointer, at)) ?? {});
  }

  #named(keyword: string, value: Json, pointer: string): Json | undefined {
    if (isEmptyList(value)) return {};
    if (!isObject(value)) return this.#trust(pointer, `It takes a map of schemas, and not ${kindOf(value)}.`);
    const entries = Object.entries(value).map(([name, one]): [string, Json] => {
      const names = keyword === 'dependencies' ? namesIn(one) : undefined;
      return [name, names ?? this.#inner(one, childOf(pointer, name)) ?? {}];
    });
    return Object.fromEntries(entries);
  }

  /** Keywords of older drafts in their form of 2020-12. */
  #inNewForm(schema: JsonObject): JsonObject {
    const { items, additionalItems } = schema;
    const bounded = withoutFlags(schema);
    if (this.#keepsTuples || !Array.isArray(items)) return bounded;
    const { items: _items, additionalItems: _rest, ...others } = bounded;
    if (items.length === 0) return others;
    return { ...others, prefixItems: items, ...defined({ items: additionalItems }) };
  }

  #trust(pointer: string, why: string): undefined {
    this.trusted.push({ pointer, why });
  }
}

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** In draft-04 `exclusiveMinimum` says whether `minimum` itself is excluded. */
function withoutFlags(schema: JsonObject): JsonObject {
  let read = schema;
  for (const [bound, flag] of bounds) {
    if (typeof read[flag] !== 'boolean') continue;
    const { [bound]: value, [flag]: isExclusive, ...others } = read;
    read = { ...others, ...(value === undefined ? {} : { [isExclusive === true ? flag : bound]: value }) };
  }
  return read;
}

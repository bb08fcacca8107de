/** Collects the inputs of a learned workflow: values that no answer explains, with the seen value as default. */
import { interpolated, member } from '@baton/expressions';
import { type Json, type JsonObject, type JsonSchema, isObject, jsonTypeOf } from '@baton/primitives';

import { type Place, inputPlace } from './places.ts';
import { isIdentifying } from './sameName.ts';
import { stable } from './seenCall.ts';

export interface FoundInput {
  readonly name: string;
  readonly type: string;
  readonly value: Json;
  /** It says which order, payment or person is meant. */
  readonly isIdentifying: boolean;
}

export class FoundInputs {
  readonly #found = new Map<string, FoundInput>();
  readonly #byValue = new Map<string, FoundInput>();
  readonly #given: JsonObject;
  readonly #places: Place[];

  /** `given`: the inputs of the run. */
  constructor(given: JsonObject = {}) {
    this.#given = given;
    this.#places = Object.entries(given).flatMap(([name, value]) => inputPlace(name, value));
  }

  copy(): FoundInputs {
    const copy = new FoundInputs(this.#given);
    for (const input of this.#found.values()) copy.#keep(input);
    return copy;
  }

  get places(): readonly Place[] {
    return this.#places;
  }

  /** Whether a template reads one of them. */
  isReadIn(template: string): boolean {
    return this.all.some(({ name }) => template.includes(interpolated(member('inputs', name))));
  }

  get all(): readonly FoundInput[] {
    const given = Object.entries(this.#given).map(([name, value]) => inputOf(name, name, value));
    return [...given, ...this.#found.values()];
  }

  /** Whether a new input has this value. */
  isNew(value: Json): boolean {
    return this.#byValue.has(stable(value));
  }

  /**
   * The template of the input that has this value; adds an input if there is none. `type`: that of the argument, where
   * the tool says it.
   */
  expression(key: string, value: Json, tool: string, type?: string): string {
    const input = this.#byValue.get(stable(value)) ?? this.#add(key, value, tool, type);
    return interpolated(member('inputs', input.name));
  }

  #add(key: string, value: Json, tool: string, type: string | undefined): FoundInput {
    const input = inputOf(this.#free(key, tool), key, value, type);
    this.#keep(input);
    return input;
  }

  #keep(input: FoundInput): void {
    this.#found.set(input.name, input);
    this.#byValue.set(stable(input.value), input);
    this.#places.push(...inputPlace(input.name, input.value));
  }

  #free(key: string, tool: string): string {
    const word = spelled(key);
    const names = [word, `${spelled(tool)}_${word}`];
    const isFree = (name: string): boolean => !this.#found.has(name) && !Object.hasOwn(this.#given, name);
    const free = names.find(isFree);
    if (free !== undefined) return free;
    for (let n = 2; ; n += 1) if (isFree(`${word}_${n}`)) return `${word}_${n}`;
  }
}

/** The type that a tool's schema gives the argument; undefined: it gives none. */
export function typeIn(schema: Json | undefined, argument: string): string | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  const own = isObject(properties) && Object.hasOwn(properties, argument) ? properties[argument] : undefined;
  return isObject(own) && typeof own['type'] === 'string' ? own['type'] : undefined;
}

/** The type's name in JSON Schema. */
function typeOf(value: Json): string {
  return Number.isInteger(value) ? 'integer' : jsonTypeOf(value);
}

function spelled(word: string): string {
  const name = word
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40);
  return /^[A-Za-z_]/.test(name) ? name : `value_${name}`;
}

function inputOf(name: string, key: string, value: Json, type?: string): FoundInput {
  const seen = typeOf(value);
  // Fifteen is a whole number, and the next one may not be.
  const wanted = type === 'number' && seen === 'integer' ? 'number' : seen;
  return { name, type: wanted, value, isIdentifying: isIdentifying(key, value) };
}

/**
 * The `inputs` of the workflow file. Where it writes, an input that says which order, payment or person is meant has no
 * default: started without it, the workflow would do the same to the one of the session.
 */
export const schemasOf = (inputs: readonly FoundInput[], writes: boolean): Record<string, JsonSchema> =>
  Object.fromEntries(
    inputs.map(({ name, type, value, isIdentifying: isOne }) => [
      name,
      writes && isOne ? { type } : { type, default: value },
    ]),
  );

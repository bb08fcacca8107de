/** Collects the inputs of a learned workflow: values that no answer explains, with the seen value as default. */
import type { Json, JsonObject, JsonSchema } from '@baton/language';
import { interpolated, member } from '@baton/language';

import type { Place } from './places.ts';
import { inputPlace } from './places.ts';
import { stable } from './seenCall.ts';

export interface FoundInput {
  readonly name: string;
  readonly type: string;
  readonly value: Json;
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
    const given = Object.entries(this.#given).map(([name, value]) => ({ name, type: typeOf(value), value }));
    return [...given, ...this.#found.values()];
  }

  /** The template of the input that has this value; adds an input if there is none. */
  expression(key: string, value: Json, tool: string): string {
    const input = this.#byValue.get(stable(value)) ?? this.#add(key, value, tool);
    return interpolated(member('inputs', input.name));
  }

  #add(key: string, value: Json, tool: string): FoundInput {
    const name = this.#free(key, tool);
    const input = { name, type: typeOf(value), value };
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

/** The type's name in JSON Schema. */
function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function spelled(word: string): string {
  const name = word
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40);
  return /^[A-Za-z_]/.test(name) ? name : `value_${name}`;
}

/** The `inputs` of the workflow file. */
export const schemasOf = (inputs: readonly FoundInput[]): Record<string, JsonSchema> =>
  Object.fromEntries(inputs.map(({ name, type, value }) => [name, { type, default: value }]));

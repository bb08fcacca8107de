/** Redacts a JSON value in slices. Values that are as they should be keep their identity. */
import type { Json, JsonObject } from '@baton/primitives';

import { type Slices, unitsPerSlice } from './slices.ts';

/** `checkResult` later refuses deeper values. */
const depthMax = 512;
/** What a value costs beside its characters, in characters. */
const valueUnits = 8;

export interface JsonWalkOptions {
  readonly text: (value: string) => Slices<string>;
  /** Whether a text is certainly as it should be; false: `text` finds out. */
  readonly isQuick: (value: string) => boolean;
  readonly isSecret: (value: number) => boolean;
  /** In place of a number that is a secret, and of values that are too deep. */
  readonly mark: string;
}

export class JsonWalk {
  readonly #options: JsonWalkOptions;

  constructor(options: JsonWalkOptions) {
    this.#options = options;
  }

  /** A value keeps its type, except a number that is a secret. */
  *walk<T extends Json>(value: T): Slices<T> {
    return (yield* this.#value(value, 0, { units: 0 })) as T;
  }

  *#value(value: Json, depth: number, done: DoneUnits): Slices<Json> {
    if ((done.units += valueUnits) > unitsPerSlice) {
      done.units = 0;
      yield;
    }
    if (typeof value === 'string') return yield* this.#text(value, done);
    if (typeof value === 'number') return this.#options.isSecret(value) ? this.#options.mark : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > depthMax) return this.#options.mark;
    return Array.isArray(value)
      ? yield* this.#list(value as readonly Json[], depth + 1, done)
      : yield* this.#object(value as JsonObject, depth + 1, done);
  }

  /** Without a generator, which costs more than most values. */
  #isDone(value: Json, done: DoneUnits): boolean {
    if (typeof value === 'object' && value !== null) return false;
    const { isQuick, isSecret } = this.#options;
    done.units += valueUnits + (typeof value === 'string' ? value.length : 0);
    if (done.units > unitsPerSlice) return false;
    return typeof value === 'string' ? isQuick(value) : typeof value !== 'number' || !isSecret(value);
  }

  #text(value: string, done: DoneUnits): Slices<string> {
    done.units += value.length;
    return this.#options.text(value);
  }

  *#list(items: readonly Json[], depth: number, done: DoneUnits): Slices<Json> {
    let changed: Json[] | undefined;
    for (let index = 0; index < items.length; index++) {
      const item = items[index] ?? null;
      if (this.#isDone(item, done)) continue;
      const after = yield* this.#value(item, depth, done);
      if (after !== item) (changed ??= [...items])[index] = after;
    }
    return changed ?? items;
  }

  *#object(object: JsonObject, depth: number, done: DoneUnits): Slices<Json> {
    let changed: Map<string, Json> | undefined;
    for (const key of Object.keys(object)) {
      const item = object[key] ?? null;
      const name = this.#isDone(key, done) ? key : yield* this.#text(key, done);
      const after = this.#isDone(item, done) ? item : yield* this.#value(item, depth, done);
      if (name === key && (after === item || object[key] === undefined)) continue;
      changed ??= new Map(Object.entries(object));
      if (name !== key) changed.delete(key);
      changed.set(name, after);
    }
    return changed === undefined ? object : Object.fromEntries(changed);
  }
}

/** Since the slice began. */
interface DoneUnits {
  units: number;
}

/**
 * Shortens the details of a failure. Every block and run above the step repeats them in its own event, so a server's
 * answer of megabytes would be stored again and again (invariant I7).
 */
import { limits } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import type { Failure } from '../failure.ts';

/** Returns the same object where its details are small enough. */
export function boundedFailure(failure: Failure): Failure {
  if (failure.details === undefined) return failure;
  const cutter = new DetailsCutter(limits.failure.detailsCharacters);
  const details = cutter.of(failure.details);
  return cutter.isShorter ? { ...failure, details } : failure;
}

/** Keeps the shape of a value, and the beginnings of its texts, lists and maps. */
class DetailsCutter {
  isShorter = false;
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  of(value: Json): Json {
    if (typeof value === 'string') return this.#text(value);
    this.#left -= 8;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Array.from(this.#whileRoom(value as readonly Json[]), (item) => this.of(item));
    const entries = this.#whileRoom(Object.entries(value as JsonObject));
    return Object.fromEntries(Array.from(entries, ([key, item]) => [this.#text(key), this.of(item)]));
  }

  #text(text: string): string {
    const room = Math.max(this.#left, 0);
    this.#left -= text.length + 2;
    if (text.length <= room) return text;
    this.isShorter = true;
    return `${text.slice(0, room)}…`;
  }

  /** Yields items until the budget of characters is used up. */
  *#whileRoom<Item>(items: readonly Item[]): Generator<Item> {
    for (const item of items) {
      if (this.#left <= 0) {
        this.isShorter = true;
        return;
      }
      yield item;
    }
  }
}

/** Counts the cost of one validation: applied schemas, pattern searches, compared items. In units of about 20 ns. */
import { isObject, type Json } from '@baton/primitives';

import { limits } from '../limits.ts';

export class ValidationSpent extends Error {
  override readonly name = 'ValidationSpent';
}

/** The additional cost of applying a schema, by the kind of value. */
export type Weights = {
  /** For every value. */
  readonly fixed: number;
  /** Of a text. */
  readonly perCharacter: number;
  /** How often the keys of a map are iterated. */
  readonly passes: number;
  /** For each key, in addition. */
  readonly perKey: number;
};

/** V8 stores a map with this many keys as a hash table, which is slow to iterate. */
const tableKeys = 500;
const unitsPerTableKey = 12;
const unitsPerPart = 5;
const charactersPerUnit = 4;

export class Spend {
  left = 0;
  readonly spent = new ValidationSpent('the value is too large, or the schema too involved');

  begin(units: number = limits.schema.cost): void {
    this.left = units;
  }

  charge(units: number): void {
    this.left -= units;
    if (this.left < 0) throw this.spent;
  }

  weigh(value: Json, { fixed, perCharacter, passes, perKey }: Weights): void {
    this.charge(fixed);
    if (typeof value === 'string') this.charge(value.length * perCharacter);
    else if (passes > 0 && isObject(value)) {
      const count = Object.keys(value).length;
      // Counting the keys iterates them, too.
      this.charge(count * (perKey + (count > tableKeys ? unitsPerTableKey : 1) * (1 + passes)));
    }
  }

  /** Charges for serializing the whole value. */
  chargeSize(value: Json): void {
    if (typeof value === 'string') return this.charge(1 + value.length / charactersPerUnit);
    this.charge(unitsPerPart);
    if (Array.isArray(value)) return value.forEach((one: Json) => this.chargeSize(one));
    if (!isObject(value)) return;
    const keys = Object.keys(value);
    this.charge(keys.length * (keys.length > tableKeys ? 2 * unitsPerTableKey : unitsPerPart));
    for (const key of keys) this.chargeSize(value[key] ?? null);
  }
}

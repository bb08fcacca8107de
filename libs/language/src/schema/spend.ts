/** What one validation may cost: schemas applied, patterns searched, items compared. In units of some 20 ns. */
import { isObject } from '@baton/primitives';

import type { Json } from '../json.ts';
import { limits } from '../limits.ts';

export class ValidationSpent extends Error {
  override readonly name = 'ValidationSpent';
}

/** What applying one schema costs beyond the usual, by what it is applied to. */
export type Weights = {
  /** For every value. */
  readonly fixed: number;
  /** Of a text. */
  readonly perCharacter: number;
  /** How often the keys of a map are gone through. */
  readonly passes: number;
  /** Of each key, beyond going through them. */
  readonly perKey: number;
};

/** A map of so many keys is a table, and slow to go through. */
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
      // Counting them is a pass, too.
      this.charge(count * (perKey + (count > tableKeys ? unitsPerTableKey : 1) * (1 + passes)));
    }
  }

  /** For all of the value to be written out. */
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

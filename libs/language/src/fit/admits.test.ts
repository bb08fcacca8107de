import { usableSchema, validator } from '@baton/expressions';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { anyPair, valuesOf } from '../testing/schemaPairs.ts';
import { admits } from './admits.ts';

/** The same pairs each time; `BATON_RUNS=20000` tries as many others. */
const runs = process.env['BATON_RUNS'];
const tries = runs === undefined ? { numRuns: 250, seed: 1 } : { numRuns: Number(runs) };

/**
 * Goal: what is proved holds: no value of the narrower schema is refused by the wider one.
 * Method: random pairs of schemas that differ in a few places, each compared both ways; Ajv judges values of the narrower
 * one.
 */
test('A schema that admits another one takes each of its values.', () => {
  let proved = 0;
  fc.assert(
    fc.property(anyPair, fc.nat(), ({ before, now }, seed) => {
      for (const [wide, narrow] of [
        [before, now],
        [now, before],
      ] as const) {
        if (!admits(wide, narrow)) continue;
        const { validate } = validator(usableSchema(wide).schema);
        const values = valuesOf(usableSchema(narrow).schema, seed, 24);
        if (values.length > 0) proved++;
        for (const value of values) expect([value, validate?.(value) ?? []]).toEqual([value, []]);
      }
    }),
    tries,
  );
  expect(proved).toBeGreaterThan(tries.numRuns / 10);
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isDecimalMultiple } from './decimal.ts';

test.each([0.01, 0.02, 0.05, 0.07, 0.1, 0.29, 1.1, 4.35, 19.99, 100, 1234.56, -0.07, 0, 99_999_999_999.99])(
  '%s is an amount in cents',
  (amount) => {
    expect(isDecimalMultiple(amount, 0.01)).toBe(true);
  },
);

test.each([
  [0.001, 0.01],
  [19.999, 0.01],
  [0.1, 0.03],
  [1e-9, 1e-8],
  [7, 2],
  [0.5, 2],
  [5e-324, 1],
])('%s is no multiple of %s', (value, step) => {
  expect(isDecimalMultiple(value, step)).toBe(false);
});

test.each([
  [1e300, 1e-300],
  [1.7e308, 0.1],
  [5e-324, 5e-324],
  [9_007_199_254_740_992, 3],
  [1e21, 0.5],
])('far from one, %s and %s are compared digit by digit', (value, step) => {
  const divides = step === 3 ? 9_007_199_254_740_992n % 3n === 0n : true;
  expect(isDecimalMultiple(value, step)).toBe(divides);
});

/**
 * Goal: a decimal times a whole number is a multiple of it.
 * Method: steps of up to nine places, whole numbers, and the product as it is written.
 */
test('a whole number of steps is a multiple, and half a step more is none', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9_999 }),
      fc.nat(9),
      fc.integer({ min: -1e6, max: 1e6 }),
      (digits, places, times) => {
        const step = Number(`${digits}e-${places}`);
        expect(isDecimalMultiple(Number(`${digits * times}e-${places}`), step)).toBe(true);
        expect(isDecimalMultiple(Number(`${(digits * times * 2 + digits) * 5}e-${places + 1}`), step)).toBe(false);
      },
    ),
  );
});

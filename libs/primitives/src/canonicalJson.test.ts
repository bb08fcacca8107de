import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { canonicalJson } from './canonicalJson.ts';

test('keys are sorted by code unit at every depth, and undefined members are not there (RFC 8785)', () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: 'é', '\u20ac': 1, '\r': 2 })).toBe(
    '{"\\r":2,"a":"é","b":[{"d":1}],"€":1}',
  );
});

/**
 * Goal: a digest covers the whole value: the canonical form neither loses nor changes any of it.
 * Method: any JSON value is written in the form, and read again.
 */
test('it is JSON of the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
    }),
  );
});

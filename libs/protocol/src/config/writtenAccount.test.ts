/**
 * Goal: what is written of a person names that person alone. Method: any subjects are written and read.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readAccount, writtenAccount } from './writtenAccount.ts';

test('What is written of a person at a provider is read back as it was', () => {
  const issuer = 'https://id.example/a#b';
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (subject) => {
      const written = writtenAccount(issuer, subject);
      expect(written).not.toMatch(/[() ]/);
      expect(readAccount(written)).toEqual({ issuer, subject });
    }),
  );
});

test('The id of a person who was made by hand names no account, and any text after an issuer is a subject', () => {
  expect(readAccount('person-QH9WLFHggAbK')).toBeUndefined();
  expect(readAccount('https://id.example#%zz')).toEqual({ issuer: 'https://id.example', subject: '%zz' });
});

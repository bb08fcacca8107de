import { expect, test } from 'vitest';

import { namedAddress } from './namedAddress.ts';

test.each([
  ['/v1/workflows/payments~eu~refunds/runs?a=~', '/v1/workflows/payments%2Feu%2Frefunds/runs?a=~'],
  ['/v1/schedules/payments~refunds.daily', '/v1/schedules/payments%2Frefunds.daily'],
  ['http://h:1/v1/workflows/a~b', 'http://h:1/v1/workflows/a%2Fb'],
  ['/v1/hooks/payments/eu/refunds/paid?x=/', '/v1/hooks/payments%2Feu%2Frefunds/paid?x=/'],
  ['/v1/hooks/payments~refunds/paid', '/v1/hooks/payments%2Frefunds/paid'],
])('an address with a name, %s, is read as %s', (url, read) => {
  expect(namedAddress(url)).toBe(read);
});

test.each([
  '/v1/runs?workflow=a~b',
  '/v1/secrets/a~b',
  '/v1/workflows/payments%2Frefunds',
  '/v1/hooks/flow/paid',
  '/v1/hooks/flow//paid',
  '/v1/hooks',
  '/workflows/a~b',
  '*',
])('the address %s stays as it is', (url) => {
  expect(namedAddress(url)).toBe(url);
});

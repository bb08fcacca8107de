import { expect, test } from 'vitest';

import { isLoopbackHost } from './isLoopbackHost.ts';

test.each(['localhost', 'LOCALHOST', '::1', '[::1]', '127.0.0.1', '127.255.0.9'])('%s is the own machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each([
  '',
  'localhost.example.com',
  '127.0.0.1.example.com',
  '127.0.0.256',
  '127.0.0.01',
  '127.1',
  '::',
  '0.0.0.0',
])('"%s" is not known as the own machine', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

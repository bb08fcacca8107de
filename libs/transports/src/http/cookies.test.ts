import { expect, test } from 'vitest';

import { Cookies } from './cookies.ts';

const url = new URL('https://a.example/mcp');
const setting = (...values: string[]): Headers => new Headers(values.map((value) => ['set-cookie', value]));

test('a cookie of a load balancer is repeated at its origin, beside a configured one, and nowhere else', () => {
  const cookies = new Cookies();
  expect(cookies.headerFor(url, null)).toBeUndefined();
  cookies.take(url, setting('AWSALB=node1; Path=/; HttpOnly', 'route=7'));
  expect(cookies.headerFor(url, null)).toBe('AWSALB=node1; route=7');
  expect(cookies.headerFor(url, 'own=1')).toBe('own=1; AWSALB=node1; route=7');
  expect(cookies.headerFor(new URL('https://b.example/'), null)).toBeUndefined();
});

test('a cookie is replaced by its next value, and ends when the server says so', () => {
  const cookies = new Cookies();
  cookies.take(url, setting('a=1', 'b=1'));
  cookies.take(url, setting('a=2', 'b=; Max-Age=0'));
  expect(cookies.headerFor(url, null)).toBe('a=2');
  cookies.take(url, setting('a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'));
  expect(cookies.headerFor(url, null)).toBeUndefined();
});

test('a server that sets ever more cookies gets a few of them back, and none that is huge', () => {
  const cookies = new Cookies();
  cookies.take(url, setting(`huge=${'x'.repeat(10_000)}`));
  for (let at = 0; at < 100; at++) cookies.take(url, setting(`c${at}=1`));
  expect(cookies.headerFor(url, null)?.split('; ')).toHaveLength(20);
});

import { expect, test } from 'vitest';

import { isHostPattern, isListedHost } from './hosts.ts';

test.each([
  ['https://api.example.com/v1', 'api.example.com', true],
  ['https://API.example.com/v1', 'api.Example.com', true],
  ['https://api.example.com:443/', 'api.example.com', true],
  ['https://api.example.com/', 'api.example.com:443', true],
  ['https://api.example.com:8443/', 'api.example.com', false],
  ['http://localhost:8080/', 'localhost:8080', true],
  ['http://localhost:8081/', 'localhost:8080', false],
  ['https://a.b.example.com/', '*.example.com', true],
  ['https://example.com/', '*.example.com', false],
  ['https://evilexample.com/', '*.example.com', false],
  ['https://example.com.evil.net/', 'example.com', false],
  ['https://user@evil.net/?api.example.com', 'api.example.com', false],
  ['http://[::1]:3000/', '[::1]:3000', true],
])('%s is listed by "%s": %s', (url, pattern, isListed) => {
  expect(isListedHost(new URL(url), pattern)).toBe(isListed);
});

test.each(['api.example.com', '*.example.com', 'localhost:8080', '127.0.0.1', '[::1]:80', 'my_host'])(
  'a list of hosts may name %s',
  (text) => expect(isHostPattern(text)).toBe(true),
);

test.each(['https://api.example.com', 'api.example.com/v1', '*', '*.*.com', 'a b', '', 'x:', '.com', 'user@host'])(
  'a list of hosts may not name "%s"',
  (text) => expect(isHostPattern(text)).toBe(false),
);

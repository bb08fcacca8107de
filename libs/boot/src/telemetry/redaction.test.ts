import { expect, test } from 'vitest';

import { redactText } from './redaction.ts';

test.each([
  ['postgresql://baton:s3cr3t@127.0.0.1:5432/x?a=b', 'postgresql://baton:[redacted]@127.0.0.1:5432/x?a=b'],
  ['see https://u:p@h and redis://:pw@h', 'see https://u:[redacted]@h and redis://:[redacted]@h'],
  ['"authorization":"Bearer abcdefgh.ijkl-mn"', '"authorization":"Bearer [redacted]"'],
  ['Basic dXNlcjpwYXNzd29yZA==', 'Basic [redacted]'],
  ['http://host:80/path@here', 'http://host:80/path@here'],
  ['a plain sentence: nothing@all', 'a plain sentence: nothing@all'],
])('%j is logged as %j', (text, logged) => {
  expect(redactText(text)).toBe(logged);
});

test('a megabyte of almost-URLs is passed in no time worth telling', () => {
  const text = 'a://b:'.repeat(200_000);
  expect(redactText(text)).toBe(text);
});

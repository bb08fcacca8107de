import { expect, test } from 'vitest';

import { replyIn } from './replyIn.ts';

test.each([
  ['the output `reply`', { reply: 'It is noon.', text: 'no' }, 'It is noon.'],
  ['the only output, under any name', { text: 'It is noon.' }, 'It is noon.'],
  ['all of them as JSON, where there are several', { hour: 12, text: 'noon' }, '{"hour":12,"text":"noon"}'],
  ['all as JSON, where the reply is no text', { reply: 12 }, '{"reply":12}'],
  ['an empty map, where there are none', undefined, '{}'],
])('a device is told %s', (_, outputs, reply) => {
  expect(replyIn(outputs)).toBe(reply);
});

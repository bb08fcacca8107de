import { expect, test } from 'vitest';

import { RunOffers } from './runOffers.ts';

const longest = 'ü'.repeat(100);

test.each([
  ['short names', Array.from({ length: 5_000 }, (_, at) => `${at}`)],
  ['long names', Array.from({ length: 500 }, (_, at) => `${longest} ${at}`)],
])('of very many callers, a crowded worker names as many as fit into a message: %s', (_, callers) => {
  const sent: string[] = [];
  const offers = new RunOffers({ send: (_channel, text) => sent.push(text), listen: () => () => undefined });
  offers.sayCrowded({ worker: 'a-host-with-a-name-4711-1a2b3c4d', callers });
  const [text = ''] = sent;
  const [worker, ...told] = JSON.parse(text) as string[];
  expect(worker).toBe('a-host-with-a-name-4711-1a2b3c4d');
  expect(told).toEqual(callers.slice(0, told.length));
  expect(told.length).toBeGreaterThan(10);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
});

import { expect, test } from 'vitest';

import { placesOf } from './places.ts';

/** Places of a worker that may begin any run, but for what `refused` says. */
function places(refused: { state?: 'late' | 'stopping'; isHeld?: boolean; isFull?: boolean }) {
  const slots = { taken: 0, released: 0 };
  const home = placesOf({
    heartbeat: { state: refused.state ?? 'working' },
    drives: { mayBegin: () => refused.isHeld !== true, begin: async () => 'finished' },
    bells: {
      tryTakeIdleSlot: () => {
        if (refused.isFull === true) return undefined;
        slots.taken += 1;
        return () => void (slots.released += 1);
      },
    },
    follow: async (_, drive) => void (await drive()),
  });
  return { place: home.take('ada'), slots };
}

test.each([
  ['whose heartbeat is late', { state: 'late' }],
  ['that is stopping', { state: 'stopping' }],
  ['that holds runs of the caller back', { isHeld: true }],
  ['without an idle slot', { isFull: true }],
] as const)('A worker %s has no place for a run, and keeps no slot', (_, refused) => {
  const { place, slots } = places(refused);
  expect(place).toBeUndefined();
  expect(slots.taken).toBe(0);
});

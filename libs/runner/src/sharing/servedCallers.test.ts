import { expect, test } from 'vitest';

import { ServedCallers } from './servedCallers.ts';

test('The caller whose run released its slot last is at the end of the served callers.', () => {
  const served = new ServedCallers();
  for (const by of ['ada', 'bob', 'eve', 'ada']) served.note(by);
  expect(served.inOrder()).toEqual(['bob', 'eve', 'ada']);
});

test('A worker remembers the last 200 callers that it served, and forgets all before.', () => {
  const served = new ServedCallers();
  for (let count = 1; count <= 1_000; count += 1) served.note(`key-${count}`);
  expect(served.inOrder()).toHaveLength(200);
  expect(served.inOrder()[0]).toBe('key-801');
});

import { expect, test } from 'vitest';

import { HeldLines } from './heldLines.ts';

test('lines are written in order; errors that follow from a stopped process are dropped', () => {
  const written: string[] = [];
  const lines = new HeldLines((line) => written.push(line));
  lines.add('one');
  lines.add('two');
  lines.flush();
  lines.add('a connection broke');
  lines.drop();
  lines.add('another broke');
  lines.flush();
  expect(written).toEqual(['one', 'two']);
});

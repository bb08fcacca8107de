import type { Tool } from '@baton/protocol';
import { expect, test } from 'vitest';

import { FirstHints } from './firstHints.ts';

const tool = (name: string, annotations?: Tool['annotations']): Tool => ({
  name,
  inputSchema: { type: 'object' },
  digests: { contract: 'c', text: 't' },
  ...(annotations === undefined ? {} : { annotations }),
});

const hintsOf = (hints: FirstHints, annotations?: Tool['annotations']): Tool['annotations'] =>
  hints.heldTo([tool('wipe', annotations)])[0]?.annotations;

test('what a tool claims when it is first seen counts', () => {
  expect(hintsOf(new FirstHints(), { readOnlyHint: true })).toEqual({ readOnlyHint: true });
});

test('a later claim does not count, and a withdrawn claim counts at once', () => {
  const hints = new FirstHints();
  hintsOf(hints, { idempotentHint: true, destructiveHint: true });
  expect(hintsOf(hints, { idempotentHint: true, readOnlyHint: true })).toEqual({
    idempotentHint: true,
    readOnlyHint: false,
  });
  expect(hintsOf(hints, { idempotentHint: false })).toEqual({ idempotentHint: false });
  expect(hintsOf(hints)).toBeUndefined();
});

test('a tool that is gone and comes back counts as the same tool', () => {
  const hints = new FirstHints();
  hintsOf(hints);
  hints.heldTo([]);
  expect(hintsOf(hints, { readOnlyHint: true })).toEqual({ readOnlyHint: false });
});

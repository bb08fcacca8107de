import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { parseHints } from './redisBus.ts';

const runId = randomUUID();

test('a message is a list of runs and their journal positions', () => {
  expect(parseHints(JSON.stringify([[runId, 3]]))).toEqual([{ runId, seq: 3 }]);
  expect(parseHints(JSON.stringify([[runId, 3, 1]]))).toEqual([{ runId, seq: 3, isLast: true }]);
  expect(parseHints('[]')).toEqual([]);
});

test.each(['', '{', '7', 'null', '{}', '[1]', '[[]]', '[["x",1]]', `[["${runId}","1"]]`, `[["${runId}",1.5]]`])(
  'anything else is none: %s',
  (text) => {
    expect(parseHints(text)).toBeUndefined();
  },
);

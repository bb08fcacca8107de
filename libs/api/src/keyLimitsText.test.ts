import { expect, test } from 'vitest';

import { keyLimitsText } from './keyLimitsText.ts';
import type { Key } from './schemas/key.ts';

test('every limit of a key is said, so that a limited key never looks like a free one', () => {
  const free: Key = {
    id: 'k',
    name: 'n',
    scopes: ['runs:read'],
    createdBy: 'x',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  expect(keyLimitsText(free)).toBe('');
  expect(keyLimitsText({ ...free, approve: 'write' })).toBe('writes approved');
  const limits = { runs: 1, items: 2, checks: 3 };
  expect(keyLimitsText({ ...free, workflows: ['a', 'b'], effects: 'read', limits })).toBe(
    'only a b, effects up to read, 1 runs, 2 items/run, 3 checks/min',
  );
});

import { limits } from '@baton/expressions';
import { expect, test } from 'vitest';

import { checkCount } from './pollAnswer.ts';

test('An answer may have as many events as one poll looks at; one more is refused with both numbers.', () => {
  expect(() => checkCount(limits.poll.items, 'events')).not.toThrow();
  expect(() => checkCount(limits.poll.items + 1, 'events')).toThrow(
    'The list has 50,001 events, and 50,000 is the most.',
  );
});

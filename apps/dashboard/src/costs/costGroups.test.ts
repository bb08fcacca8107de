import { expect, test } from 'vitest';

import { daysShown, groupCosts, knownTokensText, usdText } from './costGroups.ts';

test('Sums of days are grouped, the dearest first, and what is not known of them is not told as 0.', () => {
  const none = { answers: 1, inputTokens: 0, outputTokens: 0, usd: 0 };
  const groups = groupCosts(
    [
      { day: '2026-11-01', model: 'of a client', ...none, unknown: 1 },
      { day: '2026-11-01', model: 'local', ...none, inputTokens: 900, unpriced: 1 },
      { day: '2026-11-01', model: 'large', ...none, inputTokens: 5, usd: 0.001 },
      { day: '2026-11-02', model: 'large', ...none, outputTokens: 2, usd: 3 },
    ],
    'model',
  );
  expect(groups.map((group) => [group.name, usdText(group), knownTokensText(group, group.inputTokens)])).toEqual([
    ['large', '$3.00', '5'],
    ['local', 'no price', '900'],
    ['of a client', 'unknown', 'unknown'],
  ]);
  expect(groups[0]).toMatchObject({ answers: 2, outputTokens: 2 });
});

test('A plot has every day from the first that cost something, also those without an answer, and fourteen at least.', () => {
  const year = { from: '2025-12-01', to: '2026-03-01' };
  const days = daysShown([{ day: '2026-01-31' }, { day: '2026-02-27' }], year);
  expect([days.length, days[0], days.at(-1)]).toEqual([30, '2026-01-31', '2026-03-01']);
  expect(daysShown([{ day: '2026-03-01' }], year)[0]).toBe('2026-02-16');
  expect(daysShown([{ day: '2026-03-01' }], { from: '2026-02-27', to: '2026-03-01' })).toHaveLength(3);
});

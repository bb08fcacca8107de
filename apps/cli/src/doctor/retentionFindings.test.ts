import { expect, test } from 'vitest';

import { findingsOf } from './retentionFindings.ts';

const retention = { runs: '90d', records: '1d', removable: { runs: 3, records: 0 } };

test('journals that the setting alone protects are told as odd, and those with a role of their own are not', () => {
  const kept = { what: 'retention', state: 'ok' };
  expect(findingsOf({ ...retention, removal: 'own-role' })).toMatchObject([kept]);
  expect(findingsOf({ ...retention, removal: 'setting' })).toMatchObject([
    kept,
    { what: 'removal', state: 'odd', message: expect.stringContaining('removal: setting') as string },
  ]);
});

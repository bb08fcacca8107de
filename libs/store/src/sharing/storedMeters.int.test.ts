import { freshStore, metersContract } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { dropFullMeters, storedMeters } from './storedMeters.ts';

metersContract('Postgres', async () => {
  const store = await freshStore();
  return { one: storedMeters(store), other: storedMeters(store), close: () => store.close() };
});

test('A meter that is full for an hour is removed, and counts on as if it were there', async () => {
  const store = await freshStore();
  onTestFinished(() => store.close());
  const meters = storedMeters(store);
  const meter = { server: 's', everyMs: 1_000, burst: 1 };
  await meters.take({ ...meter, name: 'old' });
  await meters.take({ ...meter, name: 'young' });
  await store.pool.query(`update call_meter set full_at = full_at - interval '2 hours' where name = 'old'`);
  await dropFullMeters(store);
  const { rows } = await store.pool.query<{ name: string }>('select name from call_meter');
  expect(rows).toEqual([{ name: 'young' }]);
  expect((await meters.take({ ...meter, name: 'old' })).waitMs).toBe(0);
});

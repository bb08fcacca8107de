import { freshDatabase } from '@baton/testing';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { migrate } from '../migrate.ts';
import { installationId } from './installationId.ts';

async function freshInstallation(): Promise<Pool> {
  const database = await freshDatabase('empty');
  const pool = new Pool({ connectionString: database.url });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await migrate(database.url);
  return pool;
}

test('each installation has an id of its own, which stays', async () => {
  const [one, other] = await Promise.all([freshInstallation(), freshInstallation()]);
  const id = await installationId({ pool: one });
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  await expect(installationId({ pool: one })).resolves.toBe(id);
  await expect(installationId({ pool: other })).resolves.not.toBe(id);
});

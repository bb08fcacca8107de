/** Two installations on one Redis. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freshDatabase, startRedis, toolsServer } from '@baton/testing';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';

import { Installation } from './installation.ts';

const workflow = `workflow: greet
steps:
  - id: hello
    tool: work/echo
    with: { message: Hello }
`;

test.skipIf(inject('services').redisUrl === undefined)('keep to keys and channels of their own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const redis = await startRedis({ folder });
  onTestFinished(() => redis.stop());

  const start = async (): Promise<Installation> => {
    // Migrated by its orchestrator: a copy of a database has the id of the original.
    const database = await freshDatabase('empty');
    onTestFinished(() => database.drop());
    const servers = { work: toolsServer(join(folder, 'ledger')) };
    const baton = await Installation.start({ servers, redisUrl: redis.url, databaseUrl: database.url });
    onTestFinished(() => baton.stop());
    await baton.deploy(workflow);
    return baton;
  };
  const installations = [await start(), await start()];
  for (const baton of installations) {
    const id = await baton.start('greet', {});
    await expect(baton.ended(id)).resolves.toMatchObject({ status: 'succeeded' });
  }

  const operator = new Redis(redis.url);
  onTestFinished(() => operator.disconnect());
  const names = [...(await operator.keys('*')), ...((await operator.pubsub('CHANNELS')) as string[])];
  const prefixes = new Set(names.map((name) => /^baton:[0-9a-f]{8}:/.exec(name)?.[0] ?? name));
  expect(prefixes.size).toBe(2);
  for (const prefix of prefixes) {
    expect(names).toContain(`${prefix}hints`);
    expect(names).toContain(`${prefix}runs:meta`);
  }
});

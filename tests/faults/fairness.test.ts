import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type RedisServer, startRedis, toolsServer } from '@baton/testing';
import { afterEach, expect, inject, test } from 'vitest';

import { Installation } from '../installation.ts';

const bulk = `workflow: bulk
inputs: { ms: { type: integer } }
steps:
  - id: slow
    tool: work/slow
    with: { ms: "\${{ inputs.ms }}" }
`;

/** Goes to the back of the queue once more when its wait is over. */
const small = `workflow: small
steps:
  - tool: work/echo
    with: { message: hello }
  - wait: 100ms
  - tool: work/echo
    with: { message: again }
`;

/** Of which two hundred still wait when the small run has ended: five end in a second. */
const runs = 400;

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-fair-'));
  ends.push(async () => rmSync(folder, { recursive: true }));
  return folder;
}

async function maybeRedis(): Promise<RedisServer | undefined> {
  if (inject('services').redisUrl === undefined) return undefined;
  const redis = await startRedis({ folder: newFolder() });
  ends.push(() => redis.stop());
  return redis;
}

test.each([
  ['that take a moment each', 1_000],
  ['of which those that began do not end', 600_000],
])('a small run does not wait for four hundred before it %s', async (_, ms) => {
  const redis = await maybeRedis();
  const baton = await Installation.start({
    servers: { work: { ...toolsServer(join(newFolder(), 'ledger')), baton: { concurrency: 20 } } },
    env: { BATON_CONCURRENCY: '4', SHUTDOWN_GRACE: '3s', LOG_LEVEL: 'error' },
    ...(redis === undefined ? {} : { redisUrl: redis.url }),
  });
  ends.push(() => baton.stop());
  await baton.deploy(bulk);
  await baton.deploy(small);
  for (let begun = 0; begun < runs; begun += 50) {
    await Promise.all(Array.from({ length: 50 }, () => baton.start('bulk', { ms })));
  }
  expect(await baton.ended(await baton.start('small'))).toMatchObject({ status: 'succeeded' });
  const { body } = await baton.api('GET', '/v1/runs?workflow=bulk&status=queued&limit=200');
  expect(body['data']).toHaveLength(200);
});

/** Each of them would keep a worker of its own busy for long. */
const large = (at: number): string => `workflow: large-${at}
steps:
  - forEach: "\${{ range(10000) }}"
    steps: [{ set: { a: "\${{ item }}" } }]
`;

test('a small run of one key does not wait for the many large ones of another', async () => {
  const redis = await maybeRedis();
  const baton = await Installation.start({
    servers: { work: toolsServer(join(newFolder(), 'ledger')) },
    env: { BATON_CONCURRENCY: '8', SHUTDOWN_GRACE: '3s', LOG_LEVEL: 'error' },
    ...(redis === undefined ? {} : { redisUrl: redis.url }),
  });
  ends.push(() => baton.stop());
  const { body: greedy } = await baton.api('POST', '/v1/keys', { name: 'greedy', scopes: ['runs:write'] });
  const as = { authorization: `Bearer ${String(greedy['key'])}` };
  await baton.deploy(small);
  for (let begun = 0; begun < 40; begun += 8) {
    const starting = Array.from({ length: 8 }, (_, at) =>
      baton.api('POST', '/v1/runs', { workflow: large(begun + at) }, as),
    );
    for (const { status } of await Promise.all(starting)) expect(status).toBe(202);
  }
  expect(await baton.ended(await baton.start('small'))).toMatchObject({ status: 'succeeded' });
  const { body } = await baton.api('GET', '/v1/runs?status=queued&limit=200');
  // In the order in which they came, all forty would have begun before it.
  expect((body['data'] as object[]).length).toBeGreaterThan(0);
});

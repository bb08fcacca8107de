import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type RedisServer, startRedis, toolsServer } from '@baton/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, afterEach, describe, expect, inject, test } from 'vitest';

import { Installation, outputOf } from '../installation.ts';

const workflow = `workflow: work
inputs: { n: { type: integer } }
steps:
  - id: first
    tool: work/slow
    with: { ms: 300, n: "\${{ inputs.n }}" }
  - id: second
    tool: work/echo
    with: { message: "\${{ inputs.n }}" }
outputs: { n: "\${{ steps.second.text }}" }
`;

const runs = 50;
const succeeded = Array.from({ length: runs }, (_, n) => ['succeeded', String(n)]);

/** More runs than the worker takes at once, so that some are in the queue only. */
const fewAtOnce = { BATON_CONCURRENCY: '10' };

describe('fifty runs, in the middle of which the queue is emptied', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-emptied-'));
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** What became of all of them. */
  const endsOf = async (baton: Installation, empty: () => Promise<void>): Promise<readonly unknown[]> => {
    await baton.deploy(workflow);
    const ids = await Promise.all(Array.from({ length: runs }, (_, n) => baton.start('work', { n })));
    // The first one is over: the others are under way, or waiting for their turn.
    await Promise.any(ids.map((id) => baton.ended(id)));
    await empty();
    const ended = await Promise.all(ids.map((id) => baton.ended(id)));
    return ended.map((run) => [run.status, outputOf(run, 'n')]);
  };

  const start = async (redisUrl?: string): Promise<Installation> => {
    const servers = { work: { ...toolsServer(join(folder, 'ledger')), baton: { concurrency: 10 } } };
    const baton = await Installation.start({
      servers,
      env: fewAtOnce,
      ...(redisUrl === undefined ? {} : { redisUrl }),
    });
    ends.push(() => baton.stop());
    return baton;
  };

  test.skipIf(inject('services').redisUrl === undefined)('on Redis, by FLUSHALL: all end', async () => {
    const redis: RedisServer = await startRedis({ folder });
    ends.push(() => redis.stop());
    const baton = await start(redis.url);
    const became = await endsOf(baton, async () => {
      const operator = new Redis(redis.url);
      await operator.flushall();
      operator.disconnect();
    });
    expect(became).toEqual(succeeded);
  });

  test('in Postgres, table by table: all end', async () => {
    const baton = await start();
    const became = await endsOf(baton, async () => {
      const operator = new Client({ connectionString: baton.databaseUrl });
      ends.push(() => operator.end());
      await operator.connect();
      const { rows } = await operator.query<{ name: string }>(
        `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
         where schemaname = 'baton_queue' and tablename not like '%migration%'`,
      );
      expect(rows.length).toBeGreaterThan(0);
      await untilDone(() => operator.query(`truncate ${rows.map(({ name }) => name).join(', ')} cascade`));
    });
    expect(became).toEqual(succeeded);
  });
});

/** Workers are at the same tables: where Postgres finds that two wait for each other, it gives up on one. */
async function untilDone(statement: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await statement();
      return;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== '40P01') throw error;
    }
  }
}

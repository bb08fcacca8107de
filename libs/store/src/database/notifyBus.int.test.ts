import { randomUUID } from 'node:crypto';

import type { Hint } from '@baton/runner';
import { busContract, channelsContract, faultProxy, freshDatabase, soon } from '@baton/testing';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { NotifyBus } from './notifyBus.ts';

const openBuses = async () => {
  const { url, drop } = await freshDatabase('empty');
  const pool = new Pool({ connectionString: url }).on('error', () => undefined);
  const [one, other] = await Promise.all([NotifyBus.open({ pool, url }), NotifyBus.open({ pool, url })]);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      await Promise.all([one.close(), other.close()]);
      await pool.end();
      await drop();
    })());
  return { one, other, close };
};
busContract('Postgres NOTIFY', openBuses);
channelsContract('Postgres NOTIFY', openBuses);

test('a hint does not wait for the disk; what comes after it on its connection does', async () => {
  const { url, drop } = await freshDatabase('empty');
  const pool = new Pool({ connectionString: url, max: 1, options: '-c synchronous_commit=on' });
  const sent = vi.spyOn(pool, 'query');
  const bus = await NotifyBus.open({ pool, url });
  onTestFinished(async () => {
    await bus.close();
    await pool.end();
    await drop();
  });
  bus.publish({ runId: randomUUID(), seq: 1 });
  await expect.poll(() => sent.mock.calls).toHaveLength(1);
  const [[statement] = []] = sent.mock.calls;
  const client = await pool.connect();
  const setting = async (): Promise<unknown> => (await client.query('show synchronous_commit')).rows[0];
  await client.query('begin');
  await client.query(statement as unknown as string);
  expect(await setting()).toEqual({ synchronous_commit: 'off' });
  await client.query('commit');
  expect(await setting()).toEqual({ synchronous_commit: 'on' });
  client.release();
});

describe('the bus over NOTIFY, when its connection is lost', () => {
  async function throughProxy(options: { keepAliveMs?: number; answerMs?: number } = {}) {
    const { url, drop } = await freshDatabase('empty');
    const target = new URL(url);
    const proxy = await faultProxy({ host: target.hostname, port: Number(target.port) });
    target.port = String(proxy.port);
    const pool = new Pool({ connectionString: url }).on('error', () => undefined);
    const troubles: Error[] = [];
    const onTrouble = (error: Error): void => void troubles.push(error);
    const bus = await NotifyBus.open({ pool, url: target.href, onTrouble, ...options });
    onTestFinished(async () => {
      await bus.close();
      await pool.end();
      await proxy.close();
      await drop();
    });
    const heard: Hint[] = [];
    bus.subscribe((hint) => heard.push(hint));
    const isHeard = async (): Promise<void> => {
      const runId = randomUUID();
      await soon(() => {
        bus.publish({ runId, seq: 1 });
        expect(heard.map((hint) => hint.runId)).toContain(runId);
      });
    };
    return { proxy, pool, troubles, heard, isHeard };
  }

  test('it listens again by itself', async () => {
    const { proxy, troubles, isHeard } = await throughProxy();
    await isHeard();
    proxy.cutAll();
    await isHeard();
    expect(troubles.length).toBeGreaterThan(0);
  });

  test('it keeps trying while the database is away', async () => {
    const { proxy, troubles, isHeard } = await throughProxy();
    proxy.refuse(true);
    await expect.poll(() => troubles.length).toBeGreaterThan(2);
    proxy.refuse(false);
    await isHeard();
  });

  test('it notices a connection that has silently died', async () => {
    const { proxy, troubles, isHeard } = await throughProxy({ keepAliveMs: 50, answerMs: 2_000 });
    proxy.silence(true);
    await expect.poll(() => troubles.length).toBeGreaterThan(0);
    proxy.silence(false);
    await isHeard();
  });

  test('rubbish on the channel is passed over', async () => {
    const { pool, heard, isHeard } = await throughProxy();
    for (const payload of ['', 'x', 'x:1', `${randomUUID()}:`, `${randomUUID()}:1.5`, `${randomUUID()}:-1`, ',,,:::']) {
      await pool.query('select pg_notify($1, $2)', ['baton_run', payload]);
    }
    await isHeard();
    expect(heard.every(({ seq }) => seq === 1)).toBe(true);
  });
});

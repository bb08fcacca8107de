/**
 * Goal: after any loss of Redis, no bell is waited for, no error goes unhandled, and bells are heard
 * again once Redis is back. Bells may be lost on the way: the reconciler rings again.
 * Method: a Redis of its own for each test, emptied, killed, stopped, filled up or misused. An unhandled error fails
 * the run.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { UnavailableError } from '@baton/runner';
import {
  faultProxy,
  findRedis,
  hostileTls,
  type RedisOptions,
  startRedis,
  testCertificate,
  soon,
} from '@baton/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';

import { EvictionError } from './doctor.ts';
import { type OpenQueue, openQueue, type QueueSettings } from './openQueue.ts';
import type { QueueTrouble } from './queueTrouble.ts';
import { redisConnection } from './redisConnection.ts';
import { emptyHalfWay, note, ringUntilHeard } from './testing/testHearing.ts';

const hasRedis = (await findRedis()) !== undefined;
interface Stage {
  readonly url: string;
  readonly queue: OpenQueue;
  readonly heard: string[];
  readonly troubles: Set<QueueTrouble>;
  /** How long Redis was away, each time that it was told to be back. */
  readonly back: number[];
  /** A client of an operator. */
  readonly operator: Redis;
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

async function stage(options: { redis?: Partial<RedisOptions>; queue?: QueueSettings } = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await startRedis({ folder, port, ...options.redis });
  const troubles = new Set<QueueTrouble>();
  const back: number[] = [];
  const queue = await openQueue({
    redisUrl: url,
    onTrouble: (what) => troubles.add(what),
    onBack: (awayMs) => back.push(awayMs),
    ...options.queue,
  });
  const operator = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null });
  operator.on('error', () => undefined);
  const signal = (name: NodeJS.Signals): void => void process.kill(server.pid, name);
  onTestFinished(async () => {
    operator.disconnect();
    await queue.close();
    if (isRunning(server.pid)) signal('SIGCONT');
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url,
    queue,
    heard: [],
    troubles,
    back,
    operator,
    signal,
    start: async () => {
      await server.stop();
      server = await startRedis({ folder, port, ...options.redis });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function hintUntilHeard({ queue }: Stage): Promise<void> {
  const runId = randomUUID();
  const hints: string[] = [];
  const stop = queue.bus?.subscribe((hint) => hints.push(hint.runId));
  await soon(() => {
    queue.bus?.publish({ runId, seq: 1 });
    expect(hints).toContain(runId);
  });
  stop?.();
}

describe.skipIf(!hasRedis)('a queue on a Redis that', () => {
  test('is emptied half way delivers later bells', async () => {
    const at = await stage();
    await emptyHalfWay(at, () => at.operator.flushall());
    await ringUntilHeard(at);
    expect(at.heard.length).toBeLessThan(200);
  });

  test('is killed and restarted empty rejects rings meanwhile, and delivers bells afterwards', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 2 });
    await ringUntilHeard(at);
    await hintUntilHeard(at);
    at.signal('SIGKILL');
    await soon(() => expect(at.queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError));
    expect(await at.queue.doctor()).toMatchObject({ isReachable: false, findings: [] });
    await expect.poll(() => at.troubles).toContain('connection');
    expect(at.back).toEqual([]);
    await at.start();
    await expect.poll(() => at.back).toHaveLength(1);
    await ringUntilHeard(at);
    await hintUntilHeard(at);
    expect(await at.queue.doctor()).toMatchObject({ isReachable: true });
  });

  test('hangs is not waited for, and delivers bells when it continues', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 2 });
    await ringUntilHeard(at);
    at.signal('SIGSTOP');
    await expect(at.queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
    const crowd = Array.from({ length: 5_000 }, () => ({ runId: randomUUID() }));
    await expect(at.queue.bell.ring(crowd)).rejects.toThrow('the queue did not take 5000 of 5000 bells');
    expect(await at.queue.doctor()).toMatchObject({ isReachable: false });
    at.signal('SIGCONT');
    await ringUntilHeard(at);
  });

  test('is stopped or gone does not keep a process from leaving', async () => {
    const at = await stage();
    const taken = Promise.withResolvers<AbortSignal>();
    const listener = at.queue.listen(
      async (_runId, signal) => {
        taken.resolve(signal);
        await once(signal, 'abort');
      },
      { concurrency: 2 },
    );
    await at.queue.bell.ring([{ runId: randomUUID() }]);
    const signal = await taken.promise;
    at.signal('SIGSTOP');
    await listener.close(0);
    expect(signal.aborted).toBe(true);
    at.signal('SIGKILL');
    at.queue.listen(note(at.heard), { concurrency: 2 });
    await at.queue.close();
  });

  test('is behind a firewall that forgets connections is heard again, without waiting for the kernel to give up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-redis-'));
    const server = await startRedis({ folder });
    const proxy = await faultProxy({ host: '127.0.0.1', port: server.port });
    const queue = await openQueue({ redisUrl: `redis://127.0.0.1:${proxy.port}` });
    onTestFinished(async () => {
      await queue.close();
      await proxy.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const heard: string[] = [];
    const hints: string[] = [];
    queue.listen(note(heard), { concurrency: 1 });
    queue.bus?.subscribe(({ runId }) => hints.push(runId));
    const untilHeard = async (): Promise<void> => {
      const runId = randomUUID();
      await soon(async () => {
        await queue.bell.ring([{ runId }]).catch(() => undefined);
        queue.bus?.publish({ runId, seq: 1 });
        expect([heard.includes(runId), hints.includes(runId)]).toEqual([true, true]);
      });
    };
    await untilHeard();
    proxy.forget();
    await untilHeard();
  });

  test('refuses the password says so, without the password, and is used once it accepts it', async () => {
    const at = await stage();
    await at.operator.config('SET', 'requirepass', 'the-right-one');
    const open = (secret: string): Promise<OpenQueue> => openQueue({ redisUrl: at.url.replace('//', `//${secret}`) });
    const queues = await Promise.all(['', ':the-wrong-one@', 'eve:the-wrong-one@'].map(open));
    onTestFinished(async () => void (await Promise.all(queues.map((queue) => queue.close()))));
    for (const queue of queues) {
      await expect.poll(() => queue.doctor()).toMatchObject({ isRefused: true });
      expect(JSON.stringify(await queue.doctor())).not.toContain('the-wrong-one');
    }
    await at.operator.config('SET', 'requirepass', 'the-wrong-one');
    await expect.poll(() => queues[1]?.doctor()).toMatchObject({ isReachable: true });
    expect(await queues[1]?.doctor()).not.toHaveProperty('isRefused');
  });

  test('is away at the start is found when it comes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-redis-'));
    const port = await freePort();
    const heard: string[] = [];
    const queue = await openQueue({ redisUrl: `redis://127.0.0.1:${port}` });
    queue.listen(note(heard), { concurrency: 1 });
    const hints: string[] = [];
    queue.bus?.subscribe(({ runId }) => hints.push(runId));
    await expect(queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
    const server = await startRedis({ folder, port });
    onTestFinished(async () => {
      await queue.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const runId = randomUUID();
    await soon(async () => {
      await queue.bell.ring([{ runId }]).catch(() => undefined);
      queue.bus?.publish({ runId, seq: 1 });
      expect([heard.includes(runId), hints.includes(runId)]).toEqual([true, true]);
    });
  });

  test('is emptied while a listener has no place for more says so, and the answer keeps its place until it has ended', async () => {
    const at = await stage();
    const isTaken = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const [first, second] = [randomUUID(), randomUUID()];
    at.queue.listen(
      async (runId) => {
        at.heard.push(runId);
        if (runId !== first) return;
        isTaken.resolve();
        await goOn.promise;
        at.heard.push('the first has ended');
      },
      { concurrency: 1, lockMs: 500 },
    );
    await at.queue.bell.ring([{ runId: first }]);
    await isTaken.promise;
    await at.operator.flushall();
    await at.queue.bell.ring([{ runId: second }]);
    await expect.poll(() => at.troubles).toContain('lock-lost');
    expect(at.troubles).not.toContain('connection');
    goOn.resolve();
    await expect.poll(() => at.heard).toEqual([first, 'the first has ended', second]);
  });

  test('gave bells to a worker without a free slot gives them to one that has a slot', async () => {
    const at = await stage();
    const isTaken = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const busy: string[] = [];
    at.queue.listen(
      async (runId) => {
        busy.push(runId);
        isTaken.resolve();
        await goOn.promise;
      },
      { concurrency: 1 },
    );
    await at.queue.bell.ring([{ runId: first }, { runId: second }, { runId: third }]);
    await isTaken.promise;
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await expect.poll(() => at.heard).toEqual([second, third]);
    goOn.resolve();
    await ringUntilHeard({ queue: at.queue, heard: busy });
    expect(busy[0]).toBe(first);
    expect(at.troubles).not.toContain('lock-lost');
  });

  test('held the bell of a worker that was killed gives it to another', async () => {
    const at = await stage();
    const runId = randomUUID();
    await at.queue.bell.ring([{ runId }]);
    const code = `
      import { openQueue } from ${JSON.stringify(new URL('openQueue.ts', import.meta.url).href)};
      const queue = await openQueue({ redisUrl: ${JSON.stringify(at.url)} });
      // Its only place is taken, and so it holds the job.
      queue.listen(() => { console.log('taken'); return new Promise(() => {}); }, { concurrency: 1, lockMs: 500 });`;
    const worker = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(worker.stdout, 'data');
    worker.kill('SIGKILL');
    await once(worker, 'close');
    at.queue.listen(note(at.heard), { concurrency: 1, lockMs: 500 });
    await expect.poll(() => at.heard).toEqual([runId]);
    expect(at.troubles).toContain('stalled');
  });

  test('is full rejects bells with an error, and accepts them again when it has room', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await ringUntilHeard(at);
    await at.operator.config('SET', 'maxmemory', '1');
    await expect(at.queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
    await expect.poll(() => at.troubles).toContain('connection');
    await at.operator.config('SET', 'maxmemory', '0');
    await ringUntilHeard(at);
    // A worker that asked again without a pause would have asked thousands of times.
    expect((await at.queue.doctor()).troubles.connection).toBeLessThan(50);
  });

  test('was turned into a replica takes no bells until it is a master again', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await ringUntilHeard(at);
    await at.operator.replicaof('127.0.0.1', await freePort());
    await expect(at.queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
    await at.operator.replicaof('NO', 'ONE');
    await ringUntilHeard(at);
  });

  test('is paused by an operator keeps the bells until it is resumed', async () => {
    const at = await stage();
    const operator = new Queue('runs', { connection: { url: at.url }, prefix: 'baton' });
    onTestFinished(() => operator.close());
    await operator.pause();
    at.queue.listen(note(at.heard), { concurrency: 1 });
    const runId = randomUUID();
    await at.queue.bell.ring([{ runId }]);
    await operator.resume();
    await expect.poll(() => at.heard).toEqual([runId]);
  });

  test.each([
    ['an emptied job', undefined],
    ['no run’s id', { runs: ['x'.repeat(1_000_000)] }],
    ['another shape', { runs: { id: randomUUID() } }],
    ['a bare text', randomUUID()],
    ['nothing', null],
  ])('holds %s drops it and goes on', async (_what, data) => {
    const at = await stage();
    const stranger = new Queue('runs', { connection: { url: at.url }, prefix: 'baton' });
    onTestFinished(() => stranger.close());
    const job = await stranger.add('bell', data);
    if (data === undefined) await at.operator.del(`baton:runs:${job.id}`);
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await ringUntilHeard(at);
    expect(at.troubles).toContain('foreign-job');
    await expect.poll(() => stranger.getJobCountByTypes('waiting', 'active')).toBe(0);
  });

  test('carries other messages on the bus does not confuse them with hints', async () => {
    const at = await stage();
    await hintUntilHeard(at);
    const hints: unknown[] = [];
    at.queue.bus?.subscribe((hint) => hints.push(hint));
    await at.operator.publish('baton:hints', '[["x",1]]');
    await hintUntilHeard(at);
    expect(at.troubles).toContain('bus');
    expect(hints).not.toContainEqual({ runId: 'x', seq: 1 });
  });

  test('may evict bells is refused, unless the operator says so', async () => {
    const redis = { settings: { 'maxmemory-policy': 'allkeys-lru' } };
    const at = await stage({ redis, queue: { mayEvict: true } });
    await expect(openQueue({ redisUrl: at.url })).rejects.toThrow(EvictionError);
    const { findings } = await at.queue.doctor();
    expect(findings).toMatchObject([{ code: 'eviction', severity: 'error' }]);
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await ringUntilHeard(at);
  });

  test('shows a certificate of an unknown authority is away, and no connection to it ends the process', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-redis-'));
    const { key, certificate } = testCertificate();
    const files = { 'tls-key-file': join(folder, 'key.pem'), 'tls-cert-file': join(folder, 'certificate.pem') };
    await writeFile(files['tls-key-file'], key);
    await writeFile(files['tls-cert-file'], certificate);
    const [port, plainPort] = [await freePort(), await freePort()];
    const tls = { 'tls-port': String(port), 'tls-auth-clients': 'no', ...files };
    const server = await startRedis({ folder, port: plainPort, settings: tls });
    const url = `rediss://127.0.0.1:${port}`;
    const queue = await openQueue({ redisUrl: url });
    onTestFinished(async () => {
      await queue.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    expect(await queue.doctor()).toMatchObject({ isReachable: false });
    for (let times = 1; times <= 5; times += 1) {
      const redis = redisConnection(url, 'listen') as Redis;
      const errors: Error[] = [];
      redis.on('error', (error) => errors.push(error));
      const closed = new Promise((resolve) => redis.once('close', resolve));
      void redis.connect().catch(() => undefined);
      await expect.poll(() => redis.stream.connecting, { interval: 1 }).toBe(false);
      // In the middle of the handshake, as BullMQ closes the second connection of a worker whose first one failed.
      const { stream } = redis;
      redis.disconnect();
      await closed;
      // The server's alert may come after our own error.
      expect(stream.listenerCount('error')).toBeGreaterThan(0);
      expect(errors).toMatchObject([{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }]);
    }
  });

  test('A Redis that ends TLS in every bad way is away, and no connection to it ends the process', async () => {
    const server = await hostileTls();
    const queue = await openQueue({ redisUrl: `rediss://127.0.0.1:${server.port}` });
    onTestFinished(async () => {
      await queue.close();
      await server.close();
    });
    queue.listen(note([]), { concurrency: 1 });
    queue.bus?.subscribe(() => undefined);
    await expect.poll(() => server.ended()).toBeGreaterThan(40);
    expect(await queue.doctor()).toMatchObject({ isReachable: false });
  });
});

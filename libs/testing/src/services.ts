/**
 * Part of Vitest's global set-up: one Postgres and, where the machine has redis-server, one Redis for all tests of a run.
 * Test files ask for their own database with `freshDatabase`, and keep to a key prefix of their own in Redis.
 */
import { mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { startPostgres, startTimeOf, stopLeftoverPostgres, stopProcess, workingFolderOf } from '@baton/boot';
import { migrate } from '@baton/store';
import type { TestProject } from 'vitest/node';

import { quickFolder } from './quickFolder.ts';
import { onDatabase, onServer, templateName } from './serverDatabases.ts';
import { findRedis, startRedis } from './startRedis.ts';

export interface Services {
  /** Of a superuser; the database that it names stays empty. */
  readonly postgresUrl: string;
  /** Undefined where the machine has no redis-server: skip by name what needs it. */
  readonly redisUrl: string | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: Services;
  }
}

interface RunningServices {
  users: number;
  readonly started: Promise<{ readonly services: Services; stop(): Promise<void> }>;
}

/** The projects of one run share them, though each loads this file for itself. */
const shared = globalThis as { batonServices?: RunningServices };

export async function setup(project: TestProject): Promise<void> {
  shared.batonServices ??= { users: 0, started: start() };
  shared.batonServices.users += 1;
  project.provide('services', (await shared.batonServices.started).services);
}

export async function teardown(): Promise<void> {
  const running = shared.batonServices;
  if (running === undefined) return;
  running.users -= 1;
  if (running.users > 0) return;
  delete shared.batonServices;
  await (await running.started).stop();
}

/** Nothing is kept, and seven test files at a time have whole installations on it. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 400 } as const;

/** The name says whose it is, so that a later run knows whether that one is dead. */
const namePattern = /^baton-services-(\d+)-(\d+)$/;

async function start(): Promise<{ services: Services; stop(): Promise<void> }> {
  const parent = await realpath(quickFolder());
  await removeForgotten(parent);
  const folder = join(parent, `baton-services-${process.pid}-${startTimeOf(process.pid) ?? '0'}`);
  const redisFolder = join(folder, 'redis');
  await mkdir(redisFolder, { recursive: true });
  const [postgres, redis] = await Promise.all([startPostgres({ folder, settings }), startSharedRedis(redisFolder)]);
  await makeTemplate(postgres.url);
  const services = { postgresUrl: postgres.url, redisUrl: redis?.url };
  const stop = async (): Promise<void> => {
    await Promise.all([postgres.stop(), redis?.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  return { services, stop };
}

/** Migrated once; each test file gets a copy of it. */
async function makeTemplate(url: string): Promise<void> {
  await onServer(url, `create database ${templateName}`);
  await migrate(onDatabase(url, templateName));
}

async function startSharedRedis(folder: string): Promise<Awaited<ReturnType<typeof startRedis>> | undefined> {
  if ((await findRedis()) !== undefined) return startRedis({ folder });
  const message = 'redis-server is not on the PATH';
  if (process.env['CI'] === 'true') throw new Error(`${message}; under CI=true every test must run`);
  process.stderr.write(`skipped: all tests that need Redis (${message})\n`);
  return undefined;
}

/** What a test run that was killed could not stop itself. */
async function removeForgotten(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid, startTime] = namePattern.exec(name) ?? [];
    if (pid === undefined || startTimeOf(Number(pid)) === startTime) continue;
    const folder = join(parent, name);
    await stopLeftoverPostgres(join(folder, 'postgres'));
    const redis = Number(await readFile(join(folder, 'redis', 'redis.pid'), 'utf8').catch(() => '0'));
    if (redis > 0 && workingFolderOf(redis) === join(folder, 'redis')) {
      await stopProcess(redis, [{ signal: 'SIGKILL', waitMs: 2_000 }]);
    }
    await rm(folder, { recursive: true, force: true });
  }
}

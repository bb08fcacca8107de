/** The peers, installed on demand in a folder of their own, so that only the bench installs them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Child, childSide, startChild } from '../core/childSide.ts';
import type { Side } from '../core/load.ts';
import { closedLoop } from '../core/loop.ts';
import type { Services } from '../services.ts';
import { poster } from './restClient.ts';

export interface OpenPeers {
  readonly sides: readonly Side[];
  /** The same behind an HTTP route, asked by this process as Baton's REST is. */
  readonly routes: readonly Side[];
  /** What could not be had, and why. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

const folder = fileURLToPath(new URL('../peers/', import.meta.url));

/** True when they are there. Says on stderr what it does. */
export function installPeers(): boolean {
  const stamp = join(folder, 'node_modules', '.bench-lock');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  process.stderr.write('bench: installing the peers (npm ci in bench/peers)\n');
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-fund', '--no-audit'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return false;
  writeFileSync(stamp, wanted);
  return true;
}

const byHand = [
  ['group', 'floor', 'the run before its job; each step with its result before the next; group commit'],
  ['run', 'by-hand-run', 'the run before its job; each step with its result before the next; a commit each'],
  ['step', 'by-hand-step', 'as by-hand-run, and each step by a job of its own'],
] as const;

const libraries = [
  ['dbos', 'the run and each step with its result before the next, by its own means; no queue'],
  ['mastra', 'a snapshot of the run around each step; no queue'],
] as const;

const limits = [
  ['call', 'no server', 'nothing'],
  ['job', 'redis', 'nothing: Redis writes to disk later, if at all'],
  ['job-postgres', 'postgres', 'the job before it is worked on'],
  ['row', 'postgres', 'the row; group commit'],
] as const;

/** Starts what it can, and says what it could not. */
class Opening {
  readonly sides: Side[] = [];
  readonly routes: Side[] = [];
  readonly notes: string[] = [];
  readonly #children: Child[] = [];

  async open(name: string, make: () => Promise<Side>): Promise<void> {
    try {
      this.sides.push(await make());
    } catch (error) {
      this.notes.push(`${name} is not measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async start(file: string, env: Record<string, string>, ...args: string[]): Promise<Child> {
    const child = await startChild({ file: join(folder, file), args, env, cwd: folder });
    this.#children.push(child);
    return child;
  }

  readonly close = async (): Promise<void> => {
    for (const child of this.#children) await child.stop();
  };
}

export async function openPeers(services: Services): Promise<OpenPeers> {
  const { postgres, redis } = services;
  const opening = new Opening();
  if (redis === undefined) opening.notes.push('No redis-server on the PATH: nothing that needs Redis is measured.');
  for (const [design, name, durable] of redis === undefined ? [] : byHand) {
    await opening.open(name, async () => {
      const env = { DATABASE_URL: await services.database(name), REDIS_URL: redis?.url ?? '' };
      const child = await opening.start('byHand.mjs', env, design);
      const servers = { pids: redis === undefined ? [] : [redis.pid], trees: [postgres.pid] };
      const side = childSide(child, { name, backend: 'postgres+redis', durable }, servers);
      if (design === 'group') opening.routes.push(routeSide(child, side));
      return side;
    });
  }
  for (const [name, durable] of libraries) {
    await opening.open(name, async () => {
      const child = await opening.start(`${name}.mjs`, { DATABASE_URL: await services.database(name) });
      const side = childSide(child, { name, backend: 'postgres', durable }, { trees: [postgres.pid] });
      opening.routes.push(routeSide(child, side));
      return side;
    });
  }
  await opening.open('restate', async () => {
    const place = join(services.folder, 'restate');
    await mkdir(place);
    return restateSide(await opening.start('restate.mjs', { BENCH_FOLDER: place, RESTATE_LOGGING: 'ERROR' }));
  });
  return opening;
}

/** One thing alone: a call, a job, a row. */
export async function openLimits(services: Services): Promise<OpenPeers> {
  const { postgres, redis } = services;
  const opening = new Opening();
  for (const [what, backend, durable] of limits) {
    if (what === 'job' && redis === undefined) continue;
    await opening.open(what, async () => {
      const DATABASE_URL = await services.database(`limit-${what}`);
      const child = await opening.start('limits.mjs', { DATABASE_URL, REDIS_URL: redis?.url ?? '' }, what);
      const pids = redis !== undefined && what === 'job' ? [redis.pid] : [];
      const trees = backend === 'postgres' ? [postgres.pid] : [];
      return childSide(child, { name: `bare-${what}`, backend, durable }, { pids, trees });
    });
  }
  return opening;
}

/** A side behind the route that `serveLoads` opens in its process. */
function routeSide({ ready }: Child, side: Side): Side {
  const post = poster(new Agent({ keepAlive: true, maxSockets: 256 }));
  return {
    ...side,
    name: `${side.name}-http`,
    measure: async ({ kind, steps, ...load }) => {
      const body = JSON.stringify({ kind, steps });
      const one = async (): Promise<number> => {
        const { status, text } = await post(`${String(ready['url'])}/runs`, body);
        if (status !== 200 && status !== 404) throw new Error(`${side.name} answered ${status}: ${text.slice(0, 200)}`);
        return status;
      };
      return (await one()) === 404 ? undefined : closedLoop(load, one);
    },
  };
}

/** Over its ingress: request and response. */
function restateSide({ pid, ready }: Child): Side {
  const post = poster(new Agent({ keepAlive: true, maxSockets: 256 }));
  return {
    name: 'restate',
    backend: 'its own',
    durable: 'the run and each step with its result before the next, in its own log, synced',
    measure: ({ kind, steps, ...load }) => {
      const body = JSON.stringify({ kind, steps });
      return closedLoop(load, async () => {
        const { status, text } = await post(`${String(ready['url'])}/W/run`, body);
        if (status !== 200) throw new Error(`Restate answered ${status}: ${text.slice(0, 200)}`);
      });
    },
    pids: [pid],
    trees: [Number(ready['server'])],
  };
}

/** A Redis of one's own, for tests that empty, pause or kill it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

import { freePort, stopProcess } from '@baton/boot';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** An empty folder of its own, in which it runs. */
  readonly folder: string;
  /** To start again where another was. */
  readonly port?: number;
  /** As in redis.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Path of `redis-server`, where the machine has one. */
export async function findRedis(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'redis-server');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

const settings = { bind: '127.0.0.1', save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };

export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const command = await findRedis();
  if (command === undefined) throw new Error('redis-server is not on the PATH');
  const port = options.port ?? (await freePort());
  const flags = Object.entries({ ...settings, port, dir: options.folder, ...options.settings });
  const args = flags.flatMap(([key, value]) => [`--${key}`, String(value)]);
  const child = spawn(command, args, { cwd: options.folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'close');
  const said: string[] = [];
  const ready = Promise.withResolvers<boolean>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (said.length > 20) said.shift();
    if (line.includes('Ready to accept connections')) ready.resolve(true);
  });
  void exited.then(() => ready.resolve(false));
  if (!(await ready.promise) || child.pid === undefined) {
    throw new Error(`redis-server did not start on port ${port}: ${said.join('\n')}`);
  }
  const { pid } = child;
  await writeFile(join(options.folder, 'redis.pid'), String(pid));
  const stop = async (): Promise<void> => {
    await stopProcess(pid, [
      { signal: 'SIGTERM', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ]);
    await exited;
  };
  return { url: `redis://127.0.0.1:${port}`, port, pid, stop };
}

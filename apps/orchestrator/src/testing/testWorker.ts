/** For tests: a worker as it is in production, a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { appFile, compileCache, testSecretKey } from '@baton/testing';

export interface TestWorker {
  readonly pid: number;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

/** Resolves when it takes runs. `more`: further settings. It ends with the test process, however that ends. */
export async function startTestWorker(
  databaseUrl: string,
  servers: Readonly<Record<string, object>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-test-worker-'));
  const config = join(folder, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers: servers }));
  const env = {
    DATABASE_URL: databaseUrl,
    BATON_DATA: folder,
    BATON_SERVERS: config,
    // The key of the installation that the test's store belongs to.
    BATON_SECRET_KEY: testSecretKey.toString('base64'),
    LOG_LEVEL: 'error',
    NODE_COMPILE_CACHE: compileCache,
    ...settings,
  };
  const child = spawn(process.execPath, [appFile('worker')], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const [told] = (await Promise.race([once(child, 'message'), ended.then(() => [undefined])])) as unknown[];
  const isReady = typeof told === 'object' && told !== null && 'ready' in told;
  if (!isReady || child.pid === undefined) throw new Error(`the worker did not start: ${JSON.stringify(told)}`);
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

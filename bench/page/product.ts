/** Baton as a person starts it, on a fresh folder and any free port, with a browser that is logged in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Client, createClient } from '@baton/api/client';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Product {
  readonly url: string;
  readonly client: Client;
  readonly browser: Browser;
  /** A browser without a cache that is logged in. */
  readonly open: (options?: Parameters<Browser['newContext']>[0]) => Promise<BrowserContext>;
  readonly close: () => Promise<void>;
}

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const startMs = 120_000;

export async function startProduct(): Promise<Product> {
  const executablePath = browsers.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error(`there is no browser at ${browsers.join(', ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'baton-page-'));
  const main = join(root, 'apps/cli/src/main.ts');
  const child = spawn(process.execPath, [main, 'dev', '--port', '0', '--data', folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BATON_TRUST_FOLDER: '1', NO_COLOR: '1', LOG_LEVEL: 'warn' },
  });
  const { url, key } = await greetingOf(child.stdout, child.stderr);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    url,
    client: createClient({ url, key }),
    browser,
    open: async (options = {}) => {
      const context = await browser.newContext(options);
      await context.request.post(`${url}/v1/session`, { data: { key }, headers: { origin: url } });
      return context;
    },
    close: async () => {
      await browser.close();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function greetingOf(
  ...streams: readonly NodeJS.ReadableStream[]
): Promise<{ readonly url: string; readonly key: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly url: string; readonly key: string }>();
  const timer = setTimeout(() => reject(new Error(`Baton did not start:\n${said}`)), startMs);
  let said = '';
  for (const stream of streams) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = /is up at (http:\S+)/.exec(said)?.[1];
      const key = /admin key, shown only once: (\S+)/.exec(said)?.[1];
      if (url === undefined || key === undefined) return;
      clearTimeout(timer);
      resolve({ url, key });
    });
  }
  return promise;
}

/**
 * What commands take beyond `node -e 0`, in turns with it: milliseconds until the process has ended.
 *
 *   node bench/cli.ts [--rounds 7] [--json FILE]
 *
 * `cli.runsLs.ownMs`: `baton runs ls`, which asks an orchestrator on this machine for twenty runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { parseOptions } from './core/parseOptions.ts';
import { spread } from './core/stats.ts';
import type { Ratio } from './report/ratios.ts';
import { openServices } from './services.ts';
import { startStack } from './sides/stack.ts';

const options = { rounds: { type: 'string', default: '7' }, json: { type: 'string' } } as const;
const { values } = parseOptions({ options });
const cli = fileURLToPath(new URL('../apps/cli/src/baton.mjs', import.meta.url));

const services = await openServices();
const stack = await startStack(services, { name: 'cli', redisUrl: services.redis?.url });
const env = {
  ...process.env,
  BATON_URL: String(stack.orchestrator.ready['url']),
  BATON_API_KEY: stack.key,
};

async function took(...args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 2] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return performance.now() - start;
}

try {
  await Promise.all(Array.from({ length: 20 }, () => stack.client.run('w01')));
  await took(cli, 'runs', 'ls');
  const own: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const bare = await took('-e', '0');
    own.push((await took(cli, 'runs', 'ls')) - bare);
  }
  const ratio: Ratio = { name: 'cli.runsLs.ownMs', ...spread(own), target: 200, isBetterHigher: false };
  console.log(JSON.stringify(ratio));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios: [ratio] }, null, 2)}\n`);
} finally {
  await stack.close();
  await services.close();
}

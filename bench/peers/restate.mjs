/**
 * The service that Restate calls, with the server beside it, its own log synced to disk as it comes. Runs are asked for
 * over its ingress by the bench.
 */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { createServer as createPort } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import * as restate from '@restatedev/restate-sdk';

import { openEcho } from './echo.mjs';

const folder = process.env.BENCH_FOLDER;
const stepOf = await openEcho();
const run = async (ctx, { kind, steps }) => {
  const step = stepOf(kind);
  let last;
  for (let i = 0; i < steps; i += 1) last = await ctx.run('echo', () => step(i));
  return last;
};

const free = () =>
  new Promise((resolve) => {
    const server = createPort().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const endpoint = createServer(
  restate.createEndpointHandler({ services: [restate.service({ name: 'W', handlers: { run } })] }),
);
await new Promise((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
const [node, admin, ingress] = [await free(), await free(), await free()];
const config = join(folder, 'restate.toml');
writeFileSync(
  config,
  `base-dir = "${join(folder, 'restate')}"
disable-telemetry = true
bind-address = "127.0.0.1:${node}"
advertised-address = "http://127.0.0.1:${node}"
rocksdb-total-memory-size = "1.0 GiB"
[admin]
bind-address = "127.0.0.1:${admin}"
[ingress]
bind-address = "127.0.0.1:${ingress}"
[worker.invoker]
concurrent-invocations-limit = 1000
`,
);
const scope = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '@restatedev');
const binary = readdirSync(scope)
  .filter((name) => name.startsWith('restate-server-'))
  .map((name) => join(scope, name, 'bin', 'restate-server'))[0];
const server = spawn(binary, ['--config-file', config], {
  cwd: folder,
  stdio: 'ignore',
  env: { ...process.env, RESTATE_LOGGING: 'ERROR', DO_NOT_TRACK: '1' },
});
server.once('error', (error) => process.send?.({ failed: String(error) }));
process.once('exit', () => server.kill('SIGKILL'));
for (const signal of ['SIGTERM', 'disconnect']) process.once(signal, () => process.exit(0));

const uri = `http://127.0.0.1:${endpoint.address().port}`;
for (let tries = 0; ; tries += 1) {
  const registered = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri, force: true, breaking: true }),
  }).catch(() => undefined);
  if (registered?.ok) break;
  if (tries > 150) throw new Error(`Restate did not take the service: ${await registered?.text()}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
process.send({ ready: { url: `http://127.0.0.1:${ingress}`, server: server.pid } });

/** A real server that is restarted under its sessions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

import { freePort } from '@baton/boot';
import { soon } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { textOf, trial } from '../testing/testServers.ts';

/** server-everything over Streamable HTTP, on a port of its caller's choice. */
async function everything(port: number): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, [entry, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr) if (/listening/i.test(String(chunk))) break;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return { url: `http://127.0.0.1:${port}/mcp`, kill };
}

test('while it is away nothing is sent, and when it is back it is found again, and nothing is called twice', async () => {
  const port = await freePort();
  const first = await everything(port);
  const { call, failure } = trial({ every: { url: first.url } }, { limits: { pingMs: 500 } });
  expect(textOf(await call('every', 'echo', { message: 'one' }))).toBe('Echo: one');
  await first.kill();
  await soon(async () => {
    expect(await failure('every', 'echo', { message: 'two' })).toMatchObject({ delivery: 'unsent' });
  });
  await everything(port);
  await soon(async () => expect(textOf(await call('every', 'echo', { message: 'three' }))).toBe('Echo: three'));
});

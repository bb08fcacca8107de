/** Tools held against what a version relies on, over a real server that changes what it offers. */
import { readServers } from '@baton/protocol';
import type { PinnedTool, ServersConfig } from '@baton/protocol';
import { toolsServer, soon } from '@baton/testing';
import { expect, test } from 'vitest';

import { newLedger, trial } from '../testing/testServers.ts';
import { checkPins } from './pins.ts';

type Pins = Readonly<Record<string, PinnedTool>>;

async function setUp(
  policy: object = {},
): Promise<{ servers: ReturnType<typeof trial>; config: ServersConfig; pins: Pins }> {
  const entries = { tools: { ...toolsServer(newLedger()), baton: policy } };
  const servers = trial(entries);
  const { tools } = await servers.catalogue('tools');
  const pins = Object.fromEntries(tools.map(({ name, digests }) => [`tools/${name}`, digests]));
  return { servers, config: readServers(JSON.stringify({ mcpServers: entries })).config, pins };
}

const otherContract = (pins: Pins): Pins => ({ ...pins, 'tools/echo': { ...pins['tools/echo'], contract: 'another' } });

test('[L-153] tools that are as they were hold nothing up', async () => {
  const { servers, config, pins } = await setUp();
  expect(await checkPins(pins, servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('[L-153] a changed contract, and a tool that is gone, block', async () => {
  const { servers, config, pins } = await setUp();
  const { blocking } = await checkPins(
    { ...otherContract(pins), 'tools/gone': pins['tools/echo'] ?? {} },
    servers,
    config,
  );
  expect(blocking.map(({ tool, kind }) => [tool, kind])).toEqual([
    ['tools/echo', 'contract'],
    ['tools/gone', 'gone'],
  ]);
});

test('[L-153] the server’s policy makes a warning of it, or nothing', async () => {
  const warned = await setUp({ tools: 'warn' });
  const { blocking, warnings } = await checkPins(otherContract(warned.pins), warned.servers, warned.config);
  expect([blocking.length, warnings.length]).toEqual([0, 1]);
  const { servers, config, pins } = await setUp({ tools: 'accept' });
  expect(await checkPins(otherContract(pins), servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('a tool that the server has more than before is no drift', async () => {
  const { servers, config, pins } = await setUp();
  await servers.call('tools', 'grow', { name: 'brand-new' });
  await soon(async () => {
    const { tools } = await servers.catalogue('tools');
    expect(tools.map(({ name }) => name)).toContain('brand-new');
  });
  expect(await checkPins(pins, servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('a server that cannot be asked is not judged', async () => {
  const entries = { broken: { command: 'node', args: ['-e', 'process.exit(3)'] } };
  const config = readServers(JSON.stringify({ mcpServers: entries })).config;
  const pins = { 'broken/a': { contract: 'x', text: 'y' }, 'unknown/a': { contract: 'x', text: 'y' } };
  expect(await checkPins(pins, trial(entries), config)).toEqual({ blocking: [], warnings: [] });
});

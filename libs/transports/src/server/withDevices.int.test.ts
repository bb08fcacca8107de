import { listener, registered } from '@baton/devices/testing';
import { callContext, toolsServer } from '@baton/testing';
import { expect, test } from 'vitest';

import { newLedger, textOf, trial } from '../testing/testServers.ts';

test('configured servers and devices are served as one', async () => {
  const devices = await listener();
  const servers = trial({ tools: toolsServer(newLedger()) }, { devices });
  const device = await registered(devices, 'door-1', { open: {} });
  expect(servers.status().map(({ name, type }) => [name, type])).toEqual([
    ['tools', 'stdio'],
    ['door-1', 'device'],
  ]);
  const called = servers.call('door-1', 'open');
  device.answer((await device.nextCall()).id, { success: true, data: 'opened' });
  expect(textOf(await called)).toBe('opened');
  expect((await servers.catalogue('tools')).tools.length).toBeGreaterThan(0);
  expect((await servers.test('door-1')).tools.map(({ name }) => name)).toEqual(['open']);
  const prompt = { server: 'door-1', prompt: 'greet', arguments: {} };
  await expect(servers.calls.getPrompt(prompt, callContext())).rejects.toMatchObject({ code: 'tool-not-found' });
  await servers.close();
  await device.closed;
});

import { readServers } from '@baton/protocol';
import { expect, test } from 'vitest';

import { sessionLimits } from './limits.ts';

const openMs = (entry: object): number | undefined => {
  const config = readServers(JSON.stringify({ mcpServers: { it: entry } })).config.servers.get('it');
  return config === undefined ? undefined : sessionLimits(config, {}).openMs;
};

test.each([
  ['a program', { command: 'node', args: ['server.mjs'] }, 60_000],
  ['one that may have to be fetched', { command: 'npx', args: ['-y', 'some-server'] }, 300_000],
  ['the same by its path', { command: '/usr/local/bin/uvx' }, 300_000],
  ['the same on Windows', { command: 'C:\\Program Files\\nodejs\\npx.cmd' }, 300_000],
  ['an address', { url: 'https://mcp.example/mcp' }, 15_000],
  ['any program with a time of its own', { command: 'npx', baton: { openTimeout: '2s' } }, 2_000],
])('how long a server has for introducing itself: %s', (_, entry, ms) => {
  expect(openMs(entry)).toBe(ms);
});

import { expect, test } from 'vitest';

import { readServers } from './readServers.ts';

const read = (rate?: unknown) => readServers(JSON.stringify({ mcpServers: { a: { command: 'x', baton: { rate } } } }));

test('a rate is read as the time between two calls, and a server has none by default', () => {
  const rateOf = (rate?: object) => read(rate).config.servers.get('a')?.policy.rate;
  expect(rateOf()).toBeUndefined();
  expect(rateOf({ calls: 60, per: '1m' })).toEqual({ everyMs: 1_000, burst: 1, by: 'server' });
  expect(rateOf({ calls: 1, per: '7d', by: 'person' })).toEqual({ everyMs: 604_800_000, burst: 1, by: 'person' });
  expect(rateOf({ calls: 60, per: '1m', burst: 10, by: 'tool' })).toMatchObject({ burst: 10, by: 'tool' });
});

test.each([
  [{ calls: 0, per: '1m' }, 'invalid-value /mcpServers/a/baton/rate/calls'],
  [{ calls: 1.5, per: '1m' }, 'invalid-value /mcpServers/a/baton/rate/calls'],
  [{ calls: 60 }, 'missing-key /mcpServers/a/baton/rate/per'],
  [{ calls: 60, per: 60 }, 'invalid-value /mcpServers/a/baton/rate/per'],
  [{ calls: 60, per: '1 minute' }, 'invalid-value /mcpServers/a/baton/rate/per'],
  [{ calls: 60, per: '500ms' }, 'invalid-value /mcpServers/a/baton/rate/per'],
  [{ calls: 60, per: '32d' }, 'invalid-value /mcpServers/a/baton/rate/per'],
  [{ calls: 60, per: '1m', burst: 0 }, 'invalid-value /mcpServers/a/baton/rate/burst'],
  [{ calls: 60, per: '1m', burst: 61 }, 'invalid-value /mcpServers/a/baton/rate/burst'],
  [{ calls: 60, per: '1m', by: 'key' }, 'invalid-value /mcpServers/a/baton/rate/by'],
  [{ calls: 60, per: '1m', brust: 5 }, 'unknown-key /mcpServers/a/baton/rate/brust'],
  ['60/m', 'invalid-value /mcpServers/a/baton/rate'],
])('A rate %j is a mistake, with its place', (rate, found) => {
  expect(read(rate).findings.map(({ code, path }) => `${code} ${path}`)).toEqual([found]);
});

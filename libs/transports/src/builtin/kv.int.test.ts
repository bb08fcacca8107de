/** Who may call the built-in server `kv`; `apps/orchestrator/src/kv.int.test.ts` has whole runs. */
import { sessionWorkflow } from '@baton/language';
import { readServers } from '@baton/protocol';
import { type KeyValues, UnavailableError } from '@baton/runner';
import { expect, test } from 'vitest';

import { trial } from '../testing/testServers.ts';

const none = (): Promise<never> => Promise.reject(new UnavailableError('Postgres is away.'));
const away: KeyValues = { get: none, put: none, list: none, delete: none };
const kv = { kv: { type: 'builtin' } };

test('kv offers tools whose effects are those of what they do.', async () => {
  const { tools } = await trial(kv).catalogue('kv');
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.idempotentHint])).toEqual([
    ['get', true, true],
    ['put', false, true],
    ['list', true, true],
    ['delete', false, true],
  ]);
});

test.each([
  ['a call of no workflow', undefined],
  ['a session at the gateway', { id: sessionWorkflow, isDeployed: false }],
])('%s belongs to no project, and is refused.', async (_, workflow) => {
  const servers = trial(kv, { keyValues: away });
  const { failure, delivery } = await servers.failure('kv', 'get', { key: 'a' }, workflow && { workflow });
  expect([failure.message, delivery]).toEqual([expect.stringContaining('make it in a step'), 'rejected']);
});

const workflow = { id: 'payments/refund', isDeployed: true };

test('A process without a database lists the tools, and its calls are refused.', async () => {
  const { failure } = await trial(kv).failure('kv', 'get', { key: 'a' }, { workflow });
  expect(failure.message).toContain('where Baton runs');
});

test('Where the database is away, a put has an unknown outcome.', async () => {
  const servers = trial(kv, { keyValues: away });
  const { failure, delivery } = await servers.failure('kv', 'put', { key: 'a', value: 1 }, { workflow });
  expect([failure.code, delivery]).toEqual(['server-unreachable', 'unknown']);
});

test.each([
  ['get', {}, 'key'],
  ['get', { key: '' }, 'key'],
  ['get', { key: 'k'.repeat(257) }, 'key'],
  ['get', { key: 'a\u0000' }, 'NUL'],
  ['put', { key: 'a', value: 1, project: 'other' }, 'project'],
  ['list', { limit: 0 }, 'limit'],
])('%s refuses %o.', async (tool, given, words) => {
  const servers = trial(kv, { keyValues: away });
  const { failure } = await servers.failure('kv', tool, given, { workflow });
  expect([failure.code, failure.message]).toEqual(['invalid-arguments', expect.stringContaining(words)]);
});

test('mcp.json of kv lists no hosts.', () => {
  const { findings } = readServers(
    '{ "mcpServers": { "kv": { "type": "builtin", "baton": { "hosts": ["a.example"] } } } }',
  );
  expect(findings.map(({ message }) => message)).toEqual(['Only the built-in server "http" has "hosts".']);
});

test('A builtin server of another name says which ones there are.', () => {
  const { findings } = readServers('{ "mcpServers": { "kvs": { "type": "builtin" } } }');
  expect(JSON.stringify(findings)).toContain('kv');
});

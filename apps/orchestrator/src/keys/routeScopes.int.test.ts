import { type Scope, openApiDocument, scopes } from '@baton/api';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { overMcp } from '../testing/overMcp.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
const keys = new Map<Scope, string>();

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const scope of scopes) keys.set(scope, await app.newKey([scope]));
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const readingWorkflows: readonly Scope[] = ['runs:read', 'runs:write', 'workflows:write'];
const readingRuns: readonly Scope[] = ['runs:read', 'runs:write'];
const readingServers: readonly Scope[] = ['servers:read', 'servers:approve', 'workflows:write'];
const readingQuestions: readonly Scope[] = ['questions:answer', 'runs:read'];
const speakingMcp: readonly Scope[] = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'];

/** Written by hand, so that a route whose scopes are changed by mistake differs from it. `admin` opens everything. */
const table: readonly (readonly [route: string, scopes: readonly Scope[]])[] = [
  ['GET /v1/workflows', readingWorkflows],
  ['POST /v1/workflows', ['workflows:write']],
  ['POST /v1/workflows/check', readingWorkflows],
  ['GET /v1/workflows/{id}', readingWorkflows],
  ['DELETE /v1/workflows/{id}', ['workflows:write']],
  ['GET /v1/workflows/{id}/versions/{version}', readingWorkflows],
  ['GET /v1/workflows/{id}/stats', readingRuns],
  ['GET /v1/workflows/{id}/state', readingRuns],
  ['GET /v1/workflows/{id}/state/{key}', readingRuns],
  ['PUT /v1/workflows/{id}/state/{key}', ['runs:write']],
  ['POST /v1/workflows/{id}/pause', ['workflows:write', 'runs:write']],
  ['POST /v1/workflows/{id}/resume', ['workflows:write', 'runs:write']],
  ['GET /v1/runs/causes', readingRuns],
  ['GET /v1/runs/unknown', readingRuns],
  ['GET /v1/costs', readingRuns],
  ['GET /v1/runs/histogram', readingRuns],
  ['POST /v1/runs/cancel', ['runs:write']],
  ['POST /v1/runs/retry', ['runs:write']],
  ['GET /v1/hooks', readingWorkflows],
  ['GET /v1/workers', []],
  ['POST /v1/workers/{id}/drain', []],
  ['GET /v1/queue', []],
  ['GET /v1/settings', []],
  ['GET /v1/servers/{name}/stats', readingServers],
  ['POST /v1/workflows/{id}/runs', ['runs:write']],
  ['POST /v1/runs', ['runs:write']],
  ['GET /v1/runs', readingRuns],
  ['GET /v1/runs/{id}', readingRuns],
  ['GET /v1/runs/{id}/events', readingRuns],
  ['GET /v1/runs/{id}/values/{sha256}', readingRuns],
  ['POST /v1/runs/{id}/cancel', ['runs:write']],
  ['POST /v1/runs/{id}/retry', ['runs:write']],
  ['POST /v1/runs/{id}/rerun', ['runs:write']],
  ['POST /v1/runs/{id}/undo', ['runs:write']],
  ['POST /v1/runs/{id}/evaluate', ['runs:read', 'runs:write']],
  ['POST /v1/runs/{id}/learn', ['runs:read', 'runs:write']],
  ['POST /v1/runs/{id}/signals/{name}', ['runs:write']],
  ['GET /v1/events', readingRuns],
  ['GET /v1/questions', readingQuestions],
  ['GET /v1/questions/{id}', readingQuestions],
  ['POST /v1/questions/{id}/answer', ['questions:answer']],
  ['GET /v1/polls', readingWorkflows],
  ['GET /v1/polls/{id}', readingWorkflows],
  ['POST /v1/polls/{id}/poll', ['runs:write']],
  ['POST /v1/polls/{id}/reset', ['runs:write']],
  ['GET /v1/schedules', readingWorkflows],
  ['GET /v1/schedules/{id}', readingWorkflows],
  ['POST /v1/schedules/{id}/pause', ['workflows:write', 'runs:write']],
  ['POST /v1/schedules/{id}/resume', ['workflows:write', 'runs:write']],
  ['POST /v1/schedules/{id}/trigger', ['runs:write']],
  ['POST /v1/schedules/{id}/backfill', ['runs:write']],
  ['GET /v1/fence', []],
  ['POST /v1/fence/lift', []],
  ['GET /v1/servers', readingServers],
  ['GET /v1/servers/{name}', readingServers],
  ['GET /v1/servers/{name}/tools', readingServers],
  ['GET /v1/servers/{name}/prompts', readingServers],
  ['GET /v1/servers/{name}/resources', readingServers],
  ['POST /v1/servers/{name}/test', ['servers:approve', 'workflows:write']],
  ['POST /v1/servers/{name}/approve', ['servers:approve']],
  ['GET /v1/logins', ['servers:approve', 'workflows:write', 'runs:write']],
  ['POST /v1/servers/{name}/login', ['servers:approve']],
  ['POST /v1/servers/{name}/logout', ['servers:approve']],
  ['GET /v1/secrets', ['secrets:write']],
  ['GET /v1/secrets/{name}', ['secrets:write']],
  ['PUT /v1/secrets/{name}', ['secrets:write']],
  ['DELETE /v1/secrets/{name}', ['secrets:write']],
  ['GET /v1/audit', ['audit:read']],
  ['GET /v1/audit/calls', ['audit:read']],
  ['GET /v1/audit/export', ['audit:read']],
  ['GET /v1/audit/key', ['audit:read']],
  ['POST /v1/audit/verify', ['audit:read']],
  ['GET /v1/retention', ['audit:read']],
  ['GET /v1/budgets', readingRuns],
  ['PUT /v1/budgets/{name}', []],
  ['DELETE /v1/budgets/{name}', []],
  ['GET /v1/keys', []],
  ['POST /v1/keys', []],
  ['GET /v1/keys/{id}', []],
  ['DELETE /v1/keys/{id}', []],
  ['GET /v1/people', ['people:write']],
  ['POST /v1/people', ['people:write']],
  ['GET /v1/people/{id}', ['people:write']],
  ['DELETE /v1/people/{id}', ['people:write']],
  ['POST /v1/people/{id}/restore', []],
  ['POST /v1/people/{id}/links', ['people:write']],
  ['POST /v1/people/{id}/grants', ['people:write']],
  ['DELETE /v1/people/{id}/grants/{grant}', ['people:write']],
  ['GET /v1/roles', ['people:write']],
  ['GET /v1/sessions', []],
  ['DELETE /v1/sessions/{id}', []],
  ['GET /mcp', speakingMcp],
  ['POST /mcp', speakingMcp],
  ['DELETE /mcp', speakingMcp],
];

/** Open to any key: who it is, a session and connected clients are its own affair. */
const anyKey = [
  'GET /v1/whoami',
  'GET /v1/session',
  'DELETE /v1/session',
  'POST /v1/session/codes',
  'GET /v1/clients',
  'DELETE /v1/clients/{id}',
  'GET /v1/consents/{id}',
  'POST /v1/consents/{id}',
];

const methods = new Set(['get', 'put', 'post', 'delete', 'patch']);

test('the table has every route that needs a key', async () => {
  await app.app.ready();
  const { paths } = openApiDocument({ version: '0', metricsAccess: 'public' }) as unknown as {
    paths: Record<string, Record<string, { security: unknown[] }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { security }]) => methods.has(method) && security.length > 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const written = table.map(([route]) => route).filter((route) => !route.endsWith(' /mcp'));
  expect([...written, ...anyKey].toSorted()).toEqual(documented.toSorted());
});

/** Requests that change nothing: a key that is let in gets 404 or 400. */
async function statusOf(route: string, key: string): Promise<number> {
  const [method, path = ''] = route.split(' ');
  const { statusCode } = await app.app.inject({
    method: method as 'GET',
    url: path.replaceAll(/\{\w+\}/g, 'x'),
    headers: { host: '127.0.0.1', authorization: `Bearer ${key}`, accept: 'application/json' },
  });
  return statusCode;
}

describe.each(table)('%s', (route, allowed) => {
  test(`is open to ${['admin', ...allowed].join(', ')}, each alone`, async () => {
    for (const scope of new Set<Scope>(['admin', ...allowed])) {
      expect([scope, await statusOf(route, keys.get(scope) ?? '')]).not.toEqual([scope, 403]);
      expect([scope, await statusOf(route, keys.get(scope) ?? '')]).not.toEqual([scope, 401]);
    }
  });

  test('is closed to all other scopes together', async () => {
    const others = scopes.filter((scope) => scope !== 'admin' && !allowed.includes(scope));
    expect(await statusOf(route, await app.newKey(others))).toBe(403);
  });
});

const source = 'workflow: x\nsteps:\n  - set: { a: 1 }\n';
const run = '019a0000-0000-7000-8000-000000000001';

test.each<[string, object]>([
  ['explain_run', { id: run }],
  ['repair_workflow', { id: run }],
  ['repair_workflow', { id: run, source }],
  ['learn_session', { id: run }],
  ['try_workflow', { source, run }],
])('%s %j over MCP shows a run only to a key that may read runs', async (name, given) => {
  const author = keys.get('workflows:write') ?? '';
  expect(await overMcp(app, author, name, given)).toContain('This needs a key with the scope runs:read or runs:write.');
  const both = await app.newKey(['workflows:write', 'runs:read']);
  expect(await overMcp(app, both, name, given)).toContain('There is no run');
});

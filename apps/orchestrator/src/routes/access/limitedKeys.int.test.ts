import { type Scope, routes } from '@baton/api';
import { type FreshStore, freshStore, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { askOverMcp, overMcp } from '../../testing/overMcp.ts';
import { type Owned, owned, ownedBySession } from '../../testing/ownedRuns.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let mine: Owned;
let theirs: Owned;
/** A session at the gateway, of another key. */
let session: Owned;
/** Limited to what is mine, with every scope that has to do with workflows. */
let key: string;
/** The same, with every scope that has to do with servers and secrets. */
let wide: string;
let start: string;

const scopes: readonly Scope[] = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer', 'servers:read'];

beforeAll(async () => {
  store = await freshStore();
  const bank = { ...toolsServer('/dev/null'), baton: { allow: ['mine-too/*'] } };
  app = await openTestApp(store, store.url, { servers: { bank, away: { url: 'http://127.0.0.1:9/mcp' } } });
  start = String((await app.ask('GET /v1/events')).body['position']);
  mine = await owned(app, store, 'mine/own', asking);
  theirs = await owned(app, store, 'mine-too/work', asking);
  session = await ownedBySession(app, store);
  key = await app.newKey(scopes, { workflows: ['mine/*'] });
  wide = await app.newKey([...scopes, 'servers:approve', 'secrets:use'], { workflows: ['mine/*'] });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

/** Without the name, and what differs from request to request. */
const anonymous = (text: string, name: string): string =>
  text.replaceAll(name, 'it').replaceAll(/"requestId":"[^"]*"/g, '');

const calls = (workflow: string, server: string): string =>
  `workflow: ${workflow}\nsteps:\n  - { tool: ${server}/echo, with: { message: a } }\n`;

/** What a route answers that takes a workflow. */
async function textOf(route: string, workflow: string, server: string, by?: string): Promise<string> {
  const text = calls(workflow, server);
  const sent = route.endsWith('/runs')
    ? { json: { workflow: text } }
    : { headers: { 'content-type': 'application/yaml' }, payload: text };
  const answer = await app.ask(route, { ...sent, ...(by === undefined ? {} : { key: by }) });
  return `${answer.status} ${answer.text}`;
}

const asking = 'steps:\n  - { id: ok, ask: Go on? }';

/** Routes that list things of several workflows, and the member that names the workflow. */
const lists = [
  ['GET /v1/workflows', 'id'],
  ['GET /v1/runs', 'workflow'],
  ['GET /v1/questions', 'workflow'],
  ['GET /v1/polls', 'workflow'],
  ['GET /v1/schedules', 'workflow'],
  ['GET /v1/hooks', 'workflow'],
  ['GET /v1/events', 'workflow'],
] as const;

describe('a key that is limited to a project', () => {
  test.each(lists)('finds by %s what is its own, page by page and otherwise', async (route, member) => {
    const path = route.endsWith('events') ? `/v1/events?after=${start}` : route.slice('GET '.length);
    // The feed waits for transactions that are older, in passing also for those of another test's database.
    const holds = async (asked: string, workflows: readonly string[], given = {}): Promise<void> => {
      const names = async (): Promise<Set<unknown>> => {
        const { body } = await app.ask(`GET ${asked}`, given);
        return new Set((body['data'] as Record<string, unknown>[]).map((one) => one[member]));
      };
      await expect.poll(names).toEqual(new Set(workflows));
    };
    const runs = member === 'workflow' && /runs|events|questions/.test(path) ? ['session'] : [];
    await holds(path, ['mine/own', 'mine-too/work', ...runs]);
    await holds(path, ['mine/own'], { key });
    if (path === '/v1/hooks') return;
    await holds(`${path}${path.includes('?') ? '&' : '?'}limit=1`, ['mine/own'], { key });
  });

  test('has its own runs counted, and no others', async () => {
    const [from, to] = [Date.now() - 3_600_000, Date.now() + 3_600_000].map((at) => new Date(at).toISOString());
    const counted = async (given?: string): Promise<number> => {
      const { body } = await app.ask(`GET /v1/runs/histogram?from=${from}&to=${to}`, given ? { key: given } : {});
      const buckets = body['data'] as { counts: Record<string, number> }[];
      return buckets.flatMap(({ counts }) => Object.values(counts)).reduce((sum, one) => sum + one, 0);
    };
    expect([await counted(), await counted(key)]).toEqual([6, 2]);
    for (const [what, all] of [
      ['cancel', 3],
      ['retry', 3],
    ] as const) {
      const json = { filter: {}, preview: true };
      expect((await app.ask(`POST /v1/runs/${what}`, { json })).body).toMatchObject({ count: all });
      expect((await app.ask(`POST /v1/runs/${what}`, { key, json })).body).toMatchObject({ count: 1 });
      for (const workflow of ['mine-too/work', 'session'])
        expect(
          (await app.ask(`POST /v1/runs/${what}`, { key, json: { ...json, filter: { workflow } } })).body,
        ).toMatchObject({ count: 0 });
    }
  });

  test('is shown its own runs as resources over MCP, and no others', async () => {
    const listed = await askOverMcp(app, key, 'resources/list', {});
    expect([listed.includes(mine.asking), listed.includes(theirs.asking), listed.includes(session.asking)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is told nothing of another by the tools for authors', async () => {
    const source = (id: string): string => `workflow: ${id}\nsteps:\n  - set: { a: 1 }\n`;
    for (const version of [undefined, 0, 1]) {
      const told = async (id: string): Promise<string> =>
        (await overMcp(app, key, 'deploy_workflow', { source: source(id), version })).replaceAll(id, 'it');
      expect(await told('mine-too/work')).toContain('This key is limited to other workflows than it.');
      expect(await told('mine-too/work')).toBe(await told('mine-too/wonk'));
    }
    const shown = async (workflow: string): Promise<string> =>
      (await overMcp(app, key, 'get_workflow', { workflow })).replaceAll(workflow, 'it');
    expect(await shown('mine/own')).toContain('steps:');
    expect(await shown('mine-too/work')).toContain('is deployed');
    expect(await shown('mine-too/work')).toBe(await shown('mine-too/wonk'));
    for (const { over } of [theirs, session]) {
      expect(await overMcp(app, key, 'repair_workflow', { id: over })).toContain('There is no run');
      const tried = { source: source('mine/own'), run: over };
      expect(await overMcp(app, key, 'try_workflow', tried)).toContain('There is no run');
      expect(await overMcp(app, key, 'repair_workflow', { id: over, source: source('mine/own') })).toContain(
        'There is no run',
      );
    }
  });

  test('deploys and starts its own, and deploys nothing that starts another', async () => {
    const own = { headers: yaml, payload: 'workflow: mine/own\nsteps: [{ set: { a: 1 } }]\n' };
    expect((await app.ask('POST /v1/workflows', { key, ...own })).status).toBe(201);
    expect((await app.ask('POST /v1/workflows/mine%2Fown/runs', { key, json: {} })).status).toBe(202);
    const text = 'workflow: mine/own\nsteps:\n  - { id: call, workflow: mine-too/work@1 }\n';
    const refused = await app.ask('POST /v1/workflows', { key, ...own, payload: text });
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: 'This key is limited to other workflows than mine-too/work.' },
    });
  });

  const yaml = { 'content-type': 'application/yaml' };
  const calling = (name: string): string => `workflow: mine/own\nsteps:\n  - { workflow: ${name}, with: { a: 1 } }\n`;

  test.each<[string, (name: string) => [string, object]]>([
    ['starting it', (name) => [`POST /v1/workflows/${encodeURIComponent(name)}/runs`, { json: {} }]],
    ['starting it by name', (name) => ['POST /v1/runs', { json: { workflow: name } }]],
    ['starting a version of it', (name) => ['POST /v1/runs', { json: { workflow: name, version: 9 } }]],
    ['asking for its runs', (name) => [`GET /v1/runs?workflow=${name}`, {}]],
    ['asking for its schedules', (name) => [`GET /v1/schedules?workflow=${name}`, {}]],
    ['asking for its questions', (name) => [`GET /v1/questions?workflow=${name}`, {}]],
    [
      'checking what calls it',
      (name) => ['POST /v1/workflows/check?servers=true', { headers: yaml, payload: calling(name) }],
    ],
    ['deploying what calls it', (name) => ['POST /v1/workflows', { headers: yaml, payload: calling(name) }]],
    ['starting what calls it', (name) => ['POST /v1/runs', { json: { workflow: calling(name) } }]],
    ['a version of it', (name) => [`GET /v1/workflows/${encodeURIComponent(name)}/versions/1`, {}]],
  ])('learns nothing of another by %s', async (_how, asking) => {
    const told = async (name: string): Promise<string> => {
      const [what, options] = asking(name);
      const { status, text } = await app.ask(what, { key, ...options });
      return `${status} ${text
        .replaceAll(name, 'it')
        .replaceAll(encodeURIComponent(name), 'it')
        .replace(/"requestId":"[^"]*"/, '')}`;
    };
    expect(await told('mine-too/work')).toBe(await told('mine-too/wonk'));
  });

  test('learns of no other through a secret that is bound to others', async () => {
    const json = { value: 'a-secret-of-enough-bytes', workflows: ['mine-too/work'] };
    expect((await app.ask('PUT /v1/secrets/PAYROLL', { json })).status).toBe(201);
    const using = (secret: string): object => {
      const payload = `workflow: mine/own\nsteps:\n  - { tool: s/t, with: { a: "\${{ secrets.${secret} }}" } }\n`;
      return { key, headers: yaml, payload };
    };
    const callback = { url: 'https://a.example/', secret: 'PAYROLL' };
    for (const [what, options] of [
      ['POST /v1/workflows/check?servers=true', using('PAYROLL')],
      ['POST /v1/workflows', using('PAYROLL')],
      ['POST /v1/runs', { key, json: { workflow: 'mine/own', callback } }],
    ] as const) {
      const { text } = await app.ask(what, options);
      expect(text).not.toContain('mine-too/work');
      const { text: ofAbsent } = await app.ask(
        what,
        JSON.parse(JSON.stringify(options).replaceAll('PAYROLL', 'PAYROWL')),
      );
      expect(anonymous(text, 'PAYROLL')).toBe(anonymous(ofAbsent, 'PAYROWL'));
    }
    expect(await overMcp(app, key, 'list_secrets', {})).not.toContain('PAYROLL');
    const { text } = await app.ask('POST /v1/workflows/check?servers=true', using('PAYROL'));
    expect(text).toContain('unknown-secret');
    expect(text).not.toContain('PAYROLL');
  });

  const ofServers = Object.values(routes).filter(({ path }) => path.startsWith('/v1/servers/:name'));

  test.each(ofServers)('finds no server of another project by $method $path', async ({ method, path }) => {
    const told = async (name: string): Promise<string> => {
      const json = method === 'POST' ? { preview: true } : undefined;
      const { status, text } = await app.ask(`${method} ${path.replace(':name', name)}`, { key: wide, json });
      return `${status} ${anonymous(text, name)}`;
    };
    expect(await told('bank')).toMatch(/^404 .*No server .* is configured/);
    expect(await told('bank')).toBe(await told('bonk'));
  });

  test.each<[string, (server: string) => Promise<string>]>([
    ['a check', (server) => textOf('POST /v1/workflows/check?servers=true', 'mine/own', server, wide)],
    [
      'a check under a name of the other project',
      (server) => textOf('POST /v1/workflows/check?servers=true', 'mine-too/work', server, wide),
    ],
    [
      'a check with the key of an administrator',
      (server) => textOf('POST /v1/workflows/check?servers=true', 'mine/own', server),
    ],
    ['a deployment', (server) => textOf('POST /v1/workflows', 'mine/own', server, wide)],
    ['a deployment with the key of an administrator', (server) => textOf('POST /v1/workflows', 'mine/own', server)],
    ['an inline run with the key of an administrator', (server) => textOf('POST /v1/runs', 'mine/own', server)],
    ['check_workflow', (server) => overMcp(app, wide, 'check_workflow', { source: calls('mine/own', server) })],
    ['deploy_workflow', (server) => overMcp(app, wide, 'deploy_workflow', { source: calls('mine/own', server) })],
    ['find_tools', (server) => overMcp(app, wide, 'find_tools', { tool: `${server}/echo` })],
    ['resources/read', (server) => askOverMcp(app, wide, 'resources/read', { uri: `baton://servers/${server}` })],
  ])('finds no server of another project by %s', async (_how, ask) => {
    expect(anonymous(await ask('bank'), 'bank')).toBe(anonymous(await ask('bonk'), 'bonk'));
  });

  test('finds no server of another project in a list, and its own project does', async () => {
    expect((await app.ask('GET /v1/servers', { key: wide })).text).not.toContain('bank');
    expect(await askOverMcp(app, wide, 'resources/list', {})).not.toContain('baton://servers/bank');
    expect(await overMcp(app, wide, 'find_tools', { query: 'echo' })).not.toContain('bank');
    const other = await app.newKey(scopes, { workflows: ['mine-too/*'] });
    expect((await app.ask('GET /v1/servers', { key: other })).body['data']).toContainEqual(
      expect.objectContaining({ name: 'bank', allow: ['mine-too/*'] }),
    );
    expect(await textOf('POST /v1/workflows/check?servers=true', 'mine-too/work', 'bank', other)).not.toContain(
      'unknown-server',
    );
  });

  test('is given no other as a hint', async () => {
    const { text } = await app.ask('POST /v1/runs', { key, json: { workflow: 'mine-too/wrok' } });
    expect(text).not.toContain('mine-too/work');
    expect((await app.ask('POST /v1/runs', { key, json: { workflow: 'mine/owm' } })).text).toContain(
      'did you mean \\"mine/own\\"',
    );
    expect((await app.ask('POST /v1/runs', { json: { workflow: 'mine-too/wrok' } })).text).toContain('mine-too/work');
  });
});

test('the gateway has no server that is for the workflows of a project', async () => {
  const agent = await app.newKey(['runs:read', 'runs:write']);
  expect(await askOverMcp(app, agent, 'tools/list', {}, '/mcp/gateway')).toContain('"tools":[]');
  for (const [method, given] of [
    ['tools/list', {}],
    ['tools/call', { name: 'bank__echo', arguments: { message: 'a' } }],
  ] as const) {
    const told = async (name: string): Promise<string> =>
      anonymous(
        await askOverMcp(
          app,
          agent,
          method,
          JSON.parse(JSON.stringify(given).replaceAll('bank', name)),
          `/mcp/gateway?servers=${name}`,
        ),
        name,
      );
    expect(await told('bank')).toBe(await told('bonk'));
  }
});

test('a key is offered over MCP the tools that it may call, and a question that never was is not found', async () => {
  const reader = await app.newKey(['runs:read']);
  const names = [...(await askOverMcp(app, reader, 'tools/list', {})).matchAll(/"name":"(\w+)"/g)].map(
    ([, one]) => one,
  );
  expect(names).toContain('get_run');
  expect(
    names.filter(
      (name) => name !== undefined && /^(?:run_workflow|(?:cancel|retry|rerun)_run|answer_question)$/.test(name),
    ),
  ).toEqual([]);
  expect(
    await overMcp(app, await app.newKey(['questions:answer']), 'answer_question', { id: 'none', answer: {} }),
  ).toContain('There is no question');
});

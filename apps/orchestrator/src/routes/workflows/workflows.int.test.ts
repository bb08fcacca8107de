import { workflowJsonSchema } from '@baton/language';
import { type FreshStore, freshStore, neverEnded } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const yaml = (name: string, more = ''): string => `workflow: ${name}\n${more}steps:\n  - set: { a: 1 }\n`;
const asYaml = { headers: { 'content-type': 'application/yaml' } };
const check = (payload: string | Buffer, headers = asYaml.headers) =>
  app.ask('POST /v1/workflows/check', { headers, payload });
interface Page {
  readonly data?: readonly { readonly id: string }[];
  readonly nextCursor?: string;
}

const names = (body: Page): string[] => (body.data ?? []).map(({ id }) => id);

describe('deploying', () => {
  test('makes a version, the same content again makes none, another one makes the next', async () => {
    const first = await app.deploy(yaml('greet'));
    expect(first).toMatchObject({ status: 201, body: { id: 'greet', version: 1, findings: [] } });
    expect(first.headers['location']).toBe('/v1/workflows/greet');
    expect(await app.deploy(yaml('greet'))).toMatchObject({ status: 200, body: first.body });
    const second = await app.deploy(yaml('greet', 'title: Greeting\n'));
    expect(second).toMatchObject({ status: 201, body: { version: 2 } });
    const shown = await app.ask('GET /v1/workflows/greet');
    expect(shown.body).toMatchObject({ version: 2, title: 'Greeting', digest: second.body['digest'], format: 'yaml' });
    const old = await app.ask('GET /v1/workflows/greet/versions/1');
    expect(old.body).toMatchObject({ version: 1, digest: first.body['digest'], source: yaml('greet') });
    const later = await app.ask('GET /v1/workflows/greet/versions/3');
    expect(later).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('2 is the newest') as string },
    });
    expect((await app.deploy(yaml('team/greet'))).headers['location']).toBe('/v1/workflows/team~greet');
    for (const path of ['team~greet', 'team%2Fgreet', 'team%2fgreet'])
      expect((await app.ask(`GET /v1/workflows/${path}`)).body).toMatchObject({ id: 'team/greet' });
    const plain = await app.ask('GET /v1/workflows/team/greet');
    expect(plain).toMatchObject({ status: 404, body: { detail: expect.stringContaining('are written ~') as string } });
    const misspelt = await app.ask('GET /v1/workflows/gret');
    expect(misspelt.status).toBe(404);
    expect(misspelt.body).toMatchObject({ detail: 'No workflow "gret" is deployed. Did you mean "greet"?' });
  });

  test('takes JSON too, of the same form', async () => {
    const json = { workflow: 'as-json', steps: [{ set: { a: 1 } }] };
    expect(await app.ask('POST /v1/workflows', { json })).toMatchObject({ status: 201, body: { id: 'as-json' } });
    expect((await app.ask('GET /v1/workflows/as-json')).body).toMatchObject({ format: 'json' });
  });

  test('at the same moment by many makes one version of each content', async () => {
    const texts = ['a', 'b', 'c'].flatMap((title) => Array<string>(4).fill(yaml('raced', `title: ${title}\n`)));
    const answers = await Promise.all(texts.map((text) => app.deploy(text)));
    for (const { status } of answers) expect([200, 201]).toContain(status);
    const versions = answers.map(({ body }) => `${String(body['version'])} ${String(body['digest'])}`);
    // A content that was deployed, replaced and deployed again has two versions; no version has two contents.
    const byVersion = new Map(versions.map((one) => one.split(' ') as [string, string]));
    for (const one of versions) expect(byVersion.get(one.split(' ')[0] ?? '')).toBe(one.split(' ')[1]);
  });

  test('in place of a version that one has seen, and of no other', async () => {
    const deploy = (title: string, headers: Record<string, string>) =>
      app.ask('POST /v1/workflows', {
        payload: yaml('edited', `title: ${title}\n`),
        headers: { ...asYaml.headers, ...headers },
      });
    expect((await deploy('zero', { 'if-match': '*' })).status).toBe(412);
    const first = await deploy('one', { 'if-none-match': '*' });
    expect(first).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    expect((await app.ask('GET /v1/workflows/edited')).headers['etag']).toBe('"1"');
    expect((await deploy('two', { 'if-none-match': '*' })).status).toBe(412);
    const both = await Promise.all([deploy('two', { 'if-match': '"1"' }), deploy('three', { 'if-match': '"1"' })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 412]);
    const refused = both.find(({ status }) => status === 412);
    expect(refused).toMatchObject({
      headers: { etag: '"2"' },
      body: { type: 'urn:baton:problem:precondition-failed' },
    });
    expect((await deploy('four', { 'if-match': 'W/"2"' })).status).toBe(412);
    expect((await deploy('four', { 'if-match': '"7", "2"' })).status).toBe(201);
    const remove = (etag: string) => app.ask('DELETE /v1/workflows/edited', { headers: { 'if-match': etag } });
    expect(await remove('"2"')).toMatchObject({ status: 412, headers: { etag: '"3"' } });
    expect((await remove('"3"')).status).toBe(204);
    expect((await deploy('five', { 'if-match': '"3"' })).status).toBe(412);
    expect(await deploy('five', { 'if-none-match': '*' })).toMatchObject({ status: 201, body: { version: 4 } });
  });

  test('what is wrong stores nothing, and every fault is told with its place', async () => {
    const answer = await app.deploy('workflow: broken\nsteps:\n  - sett: { a: 1 }\n  - tool: nowhere\n');
    expect(answer.status).toBe(422);
    const errors = answer.body['errors'] as Record<string, unknown>[];
    expect(errors.length).toBeGreaterThan(1);
    for (const error of errors) {
      expect(error).toMatchObject({ line: expect.any(Number) as number, column: expect.any(Number) as number });
      expect(error).toMatchObject({ frame: expect.any(String) as string, message: expect.any(String) as string });
    }
    expect((await app.ask('GET /v1/workflows/broken')).status).toBe(404);
  });

  test('without a body, with an empty one, or with one that is no text', async () => {
    expect((await app.ask('POST /v1/workflows')).status).toBe(400);
    expect((await app.ask('POST /v1/workflows', { ...asYaml, payload: '' })).status).toBeOneOf([400, 422]);
    expect((await app.ask('POST /v1/workflows', { ...asYaml, payload: Buffer.from([0xff, 0xfe]) })).status).toBe(400);
    const plain = { headers: { 'content-type': 'text/plain' }, payload: yaml('plain') };
    expect((await app.ask('POST /v1/workflows', plain)).status).toBe(415);
  });

  test('needs its scope', async () => {
    const key = await app.newKey(['runs:write']);
    expect((await app.ask('POST /v1/workflows', { ...asYaml, key, payload: yaml('mine') })).status).toBe(403);
    expect((await app.ask('POST /v1/workflows/check', { ...asYaml, key, payload: yaml('mine') })).status).toBe(200);
  });
});

describe('checking', () => {
  test('answers 200 with the findings, errors included', async () => {
    expect(await check(yaml('fine'))).toMatchObject({ status: 200, body: { findings: [] } });
    const { status, body } = await check('workflow: x\nsteps: []\nnonsense: 1\n');
    expect(status).toBe(200);
    expect(body['findings']).toContainEqual(
      expect.objectContaining({ severity: 'error', line: 3, column: 1, path: '/nonsense' }),
    );
    expect((await app.ask('GET /v1/workflows/fine')).status).toBe(404);
  });

  test.each([
    ['deep brackets', '['.repeat(5_000)],
    ['deep lists', '- '.repeat(20_000)],
    ['deep indentation', Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['a bomb of aliases', `a: &a [x,x]\n${'bcdefghi'.replaceAll(/./g, (x) => `${x}: &${x} [*a,*a,*a]\n`)}`],
    ['an alias of itself', 'workflow: &a [*a]'],
    ['a tag', 'workflow: !!js/function "x"\nsteps: []'],
    ['a forbidden key', 'workflow: a\n__proto__: { admin: true }\nsteps: []'],
    ['a merge', 'workflow: a\n<<: { __proto__: {} }\nsteps: []'],
    ['tabs', 'workflow: a\nsteps:\n\t- set: {}'],
    ['a key twice', 'workflow: a\nworkflow: b\nsteps: []'],
    ['two documents', 'workflow: a\n---\nworkflow: b\n'],
    ['nothing', '# only a comment\n'],
    ['NUL', 'workflow: a\u0000b\nsteps: []'],
    ['a slow pattern', `workflow: a\nsteps:\n  - if: \${{ "${'a'.repeat(40)}!".matches("^(a+)+$") }}\n    set: {}`],
    ['many brackets in an expression', `workflow: a\nsteps:\n  - if: \${{ ${'('.repeat(20_000)} }}\n    set: {}`],
    ['a timeout of nothing', 'workflow: a\ntimeout: -1\nsteps:\n  - set: { a: 1 }'],
    ['itself as a child', 'workflow: a\nsteps:\n  - workflow: a'],
  ])('%s is told with its place, and the process lives', async (_what, text) => {
    const { status, body } = await check(text);
    expect(status).toBe(200);
    expect(body['findings']).toContainEqual(expect.objectContaining({ line: expect.any(Number) as number }));
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  test('takes a byte order mark and lines that end as on Windows', async () => {
    const text = `\ufeff${yaml('windows').replaceAll('\n', '\r\n')}`;
    expect(await check(text)).toMatchObject({ status: 200, body: { findings: [] } });
  });
});

describe('listing and taking away', () => {
  test('pages go through all, and workflows that come meanwhile shift none', async () => {
    for (const at of [0, 2, 4, 6]) await app.deploy(yaml(`page-${at}`));
    const first = await app.ask('GET /v1/workflows?limit=2');
    const seen = names(first.body);
    await app.deploy(yaml('page-1'));
    await app.deploy(yaml('aaa'));
    for (let { nextCursor } = first.body as Page; nextCursor !== undefined;) {
      const next = await app.ask(`GET /v1/workflows?limit=2&cursor=${nextCursor}`);
      seen.push(...names(next.body));
      ({ nextCursor } = next.body as Page);
    }
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => (a < b ? -1 : 1)));
    expect(seen).toEqual(expect.arrayContaining(['page-0', 'page-2', 'page-4', 'page-6']));
    expect(seen).not.toContain('aaa');
  });

  test.each(['x', '', '!!', 'AAAA', 'a'.repeat(513)])('the cursor %.10j is none', async (cursor) => {
    expect((await app.ask(`GET /v1/workflows?cursor=${cursor}`)).status).toBeOneOf([400, 422]);
  });

  test('taken away it cannot be started, its versions stay, and it can come back', async () => {
    await app.deploy(yaml('leaving'));
    expect((await app.ask('DELETE /v1/workflows/leaving')).status).toBe(204);
    expect((await app.ask('DELETE /v1/workflows/leaving')).status).toBe(404);
    expect((await app.ask('GET /v1/workflows/leaving')).status).toBe(404);
    expect((await app.ask('POST /v1/workflows/leaving/runs', { json: {} })).status).toBe(404);
    expect((await app.ask('GET /v1/workflows/leaving/versions/1')).status).toBe(200);
    expect(names((await app.ask('GET /v1/workflows?limit=200')).body)).not.toContain('leaving');
    expect((await app.deploy(yaml('leaving'))).status).toBeOneOf([200, 201]);
    expect((await app.ask('GET /v1/workflows/leaving')).status).toBe(200);
  });

  test('an unknown one is not there', async () => {
    const answer = await app.ask('POST /v1/workflows/gret/runs', { json: {} });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('greet');
  });
});

describe('the name of a tool', () => {
  const tool = (workflow: string, name?: string): string =>
    yaml(workflow, `on: [{ tool: ${name === undefined ? '{}' : `{ name: ${name} }`} }]\n`);
  const taken = { status: 409, body: { type: 'urn:baton:problem:tool-name-taken' } };

  test('belongs to the workflow that was deployed with it first, until it is given up', async () => {
    expect((await app.deploy(tool('victim', 'pay'))).status).toBe(201);
    const refused = await app.deploy(tool('thief', 'pay'));
    expect(refused).toMatchObject(taken);
    expect(refused.body['detail']).toContain('belongs to the workflow victim');
    expect((await app.ask('GET /v1/workflows/thief')).status).toBe(404);
    expect(await app.deploy(tool('pay'))).toMatchObject(taken);
    expect((await app.deploy(`${tool('victim', 'pay')}  - set: { b: 2 }\n`)).status).toBe(201);
    expect((await app.deploy(tool('victim', 'pay_more'))).status).toBe(201);
    expect((await app.deploy(tool('thief', 'pay'))).status).toBe(201);
    expect(await app.deploy(tool('victim', 'pay'))).toMatchObject(taken);
    await app.ask('DELETE /v1/workflows/thief');
    expect((await app.deploy(tool('victim', 'pay'))).status).toBe(201);
    expect(await app.deploy(tool('thief', 'pay'))).toMatchObject(taken);
  });

  test('The name of a tool belongs to the workflow of that name also where it is not offered', async () => {
    expect((await app.deploy(yaml('quiet'))).status).toBe(201);
    const refused = await app.deploy(tool('loud', 'quiet'));
    expect(refused).toMatchObject(taken);
    expect(refused.body['detail']).toContain('belongs to the workflow quiet');
    expect((await app.deploy(tool('quiet'))).status).toBe(201);
    expect((await app.deploy(yaml('quiet/one'))).status).toBe(201);
    const taking = await app.deploy(tool('loud', 'quiet_one'));
    expect(taking).toMatchObject(taken);
    expect(taking.body['detail']).toContain('belongs to the workflow quiet/one');
  });

  test('that another one has is refused to a key that does not reach that one, which it does not learn of', async () => {
    await app.deploy(tool('far-away', 'transfer'));
    const key = await app.newKey(['workflows:write'], { workflows: ['near'] });
    const refused = await app.ask('POST /v1/workflows', { ...asYaml, key, payload: tool('near', 'transfer') });
    expect(refused).toMatchObject(taken);
    expect(refused.text).not.toContain('far-away');
  });

  test('is taken by one of many that want it at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => app.deploy(tool(`rival-${at}`, 'prize'))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  });

  test('is waited for while another deployment takes it', async () => {
    const other = await store.pool.connect();
    await other.query(`${neverEnded}; begin; select pg_advisory_xact_lock(hashtextextended('tool ' || 'awaited', 0))`);
    const deploying = app.deploy(tool('awaits', 'awaited'));
    const waiting = async () =>
      (
        await store.pool.query(`select from pg_locks join pg_database on pg_database.oid = database
          where datname = current_database() and locktype = 'advisory' and not granted`)
      ).rowCount;
    await expect.poll(waiting).toBe(1);
    await other.query('commit');
    other.release();
    expect((await deploying).status).toBe(201);
  });

  test('is none of those that Baton itself offers', async () => {
    expect(await app.deploy(tool('shadow', 'run_workflow'))).toMatchObject(taken);
  });
});

test('the schema of workflow files is there for editors, without a key, as the language has it', async () => {
  const { status, body } = await app.ask('GET /schema/workflow.json', { key: '' });
  expect(status).toBe(200);
  expect(body).toEqual(workflowJsonSchema());
});

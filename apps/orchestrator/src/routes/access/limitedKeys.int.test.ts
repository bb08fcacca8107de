import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import type { FreshStore } from '@baton/testing';
import { freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestApp } from '../../testing/testApp.ts';
import { openTestApp } from '../../testing/testApp.ts';

/** A workflow, a schedule, a run that asks and a run that is over. */
interface Owned {
  readonly workflow: string;
  readonly asking: string;
  readonly over: string;
  readonly question: string;
}

let store: FreshStore;
let app: TestApp;
let mine: Owned;
let theirs: Owned;
/** Limited to what is mine, with every scope that has to do with workflows. */
let key: string;
let start: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  start = String((await app.ask('GET /v1/events')).body['position']);
  mine = await owned('mine');
  theirs = await owned('theirs');
  const scopes = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'] as const;
  key = await app.newKey(scopes, { workflows: ['mine'] });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

async function owned(workflow: string): Promise<Owned> {
  await app.deploy(`workflow: ${workflow}\non: [{ schedule: "0 6 * * *" }]\nsteps:\n  - { id: ok, ask: Go on? }\n`);
  const newRun = async (events: (at: number) => readonly RunEvent[]): Promise<string> => {
    const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {} });
    const id = String(body['id']);
    await advance(store.journal, id, ({ at }) => [{ type: 'run.claimed', at, worker: 'w1', claim: 1 }, ...events(at)]);
    return id;
  };
  const form = { type: 'object', properties: {} };
  const awaiting = { for: 'answer', question: { message: 'Go on?', form } } as const;
  const asking = await newRun((at) => [
    { type: 'step.waiting', at, path: 'ok', verb: 'ask', attempt: 1, awaiting },
    { type: 'run.waiting', at },
  ]);
  const failure = { code: 'failed', message: 'x' };
  const over = await newRun((at) => [{ type: 'run.finished', at, status: 'failed', failure }]);
  const { body } = await app.ask(`GET /v1/questions?workflow=${workflow}`);
  const [question] = body['data'] as { id: string }[];
  return { workflow, asking, over, question: question?.id ?? '' };
}

describe('a key that is limited to workflows', () => {
  test.each([
    ['/v1/workflows', 'id'],
    ['/v1/runs', 'workflow'],
    ['/v1/questions', 'workflow'],
    ['/v1/schedules', 'workflow'],
    ['/v1/events?after=$start', 'workflow'],
  ])('finds in %s what is its own, page by page and otherwise', async (address, member) => {
    const path = address.replace('$start', start);
    const namesIn = ({ body }: { body: Record<string, unknown> }): Set<unknown> =>
      new Set((body['data'] as Record<string, unknown>[]).map((one) => one[member]));
    expect(namesIn(await app.ask(`GET ${path}`))).toEqual(new Set(['mine', 'theirs']));
    expect(namesIn(await app.ask(`GET ${path}`, { key }))).toEqual(new Set(['mine']));
    const limited = `${path}${path.includes('?') ? '&' : '?'}limit=1`;
    expect(namesIn(await app.ask(`GET ${limited}`, { key }))).toEqual(new Set(['mine']));
  });

  const items: readonly [string, number, object?][] = [
    ['GET /v1/workflows/$workflow', 200],
    ['GET /v1/workflows/$workflow/versions/1', 200],
    ['GET /v1/runs/$asking', 200],
    ['GET /v1/runs/$asking/events', 200],
    ['GET /v1/questions/$question', 200],
    ['GET /v1/schedules/$workflow.schedule-1', 200],
    ['POST /v1/schedules/$workflow.schedule-1/pause', 200],
    ['POST /v1/schedules/$workflow.schedule-1/resume', 200],
    ['POST /v1/schedules/$workflow.schedule-1/trigger', 202],
    ['POST /v1/workflows/$workflow/runs', 202, {}],
    ['POST /v1/runs', 202, { workflow: '$workflow' }],
    ['POST /v1/runs/$asking/signals/go', 202, {}],
    ['POST /v1/questions/$question/answer', 200, { answer: {} }],
    ['POST /v1/runs/$over/retry', 202],
    // It never came to that step.
    ['POST /v1/runs/$over/evaluate', 200, { expression: 'inputs' }],
    ['POST /v1/runs/$over/rerun', 422, { from: 'ok' }],
    ['POST /v1/runs/$asking/cancel', 202],
    ['DELETE /v1/workflows/$workflow', 204],
  ];

  test.each(items)('%s is there for it where it is its own, and nowhere else', async (what, status, json) => {
    const of = (names: Owned): Promise<number> => {
      const filled = (text: string): string => text.replace(/\$(\w+)/g, (_, name: keyof Owned) => names[name]);
      const body = json === undefined ? {} : { json: JSON.parse(filled(JSON.stringify(json))) as object };
      return app.ask(filled(what), { key, ...body }).then((answer) => answer.status);
    };
    expect(await of(theirs)).toBe(404);
    expect(await of(mine)).toBe(status);
  });

  test('deploys no other', async () => {
    const deploy = (id: string) =>
      app.ask('POST /v1/workflows', {
        key,
        headers: { 'content-type': 'application/yaml' },
        payload: `workflow: ${id}\nsteps:\n  - set: { a: 1 }\n`,
      });
    expect((await deploy('theirs')).status).toBe(403);
    expect((await deploy('mine')).status).toBe(201);
  });

  test('deploys nothing that starts another', async () => {
    const text = 'workflow: mine\nsteps:\n  - { id: call, workflow: theirs@1 }\n';
    const headers = { 'content-type': 'application/yaml' };
    const refused = await app.ask('POST /v1/workflows', { key, headers, payload: text });
    expect(refused).toMatchObject({ status: 403, body: { detail: 'This key has nothing to do with theirs.' } });
  });

  const yaml = { 'content-type': 'application/yaml' };
  const calling = (name: string): string => `workflow: mine\nsteps:\n  - { workflow: ${name}, with: { a: 1 } }\n`;

  test.each<[string, (name: string) => [string, object]]>([
    ['starting it', (name) => [`POST /v1/workflows/${name}/runs`, { json: {} }]],
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
    ['a version of it', (name) => [`GET /v1/workflows/${name}/versions/1`, {}]],
  ])('learns nothing of another by %s', async (_how, asking) => {
    const told = async (name: string): Promise<string> => {
      const [what, options] = asking(name);
      const { status, text } = await app.ask(what, { key, ...options });
      return `${status} ${text.replaceAll(name, 'it').replace(/"requestId":"[^"]*"/, '')}`;
    };
    expect(await told('theirs')).toBe(await told('absent'));
  });

  test('is given no other as a hint', async () => {
    const { text } = await app.ask('POST /v1/runs', { key, json: { workflow: 'thiers' } });
    expect(text).not.toContain('theirs');
    expect((await app.ask('POST /v1/runs', { key, json: { workflow: 'mime' } })).text).toContain(
      'did you mean \\"mine\\"',
    );
    expect((await app.ask('POST /v1/runs', { json: { workflow: 'thiers' } })).text).toContain('theirs');
  });
});

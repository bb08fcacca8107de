/** The built-in server `kv`, in whole runs. */
import { randomUUID } from 'node:crypto';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { askOverMcp } from './testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from './testing/testApp.ts';
import { type TestWorker, startTestWorker } from './testing/testWorker.ts';

// Whole processes, on machines that have much else to do.
vi.setConfig({ testTimeout: 120_000 });

const servers = { kv: { type: 'builtin' }, shared: { type: 'builtin', builtin: 'kv' } };
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers });
  await app.listen();
  worker = await startTestWorker(store.url, servers);
});
afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
});

const putting = (name: string): string => `workflow: ${name}
inputs: { value: { type: object } }
steps:
  - { tool: kv/put, with: { key: seen, value: "\${{ inputs.value }}" } }
`;

const getting = (name: string): string => `workflow: ${name}
steps:
  - { id: seen, tool: kv/get, with: { key: seen, default: { id: 0 }, output: { id: { type: integer } } } }
outputs: { next: "\${{ steps.seen.output.value.id + 1 }}", found: "\${{ steps.seen.output.found }}" }
`;

const one = (step: string): string => `workflow: one
steps:
  - ${step}
outputs: { all: "\${{ steps.one.output }}" }
`;

const run = (workflow: string, inputs: object = {}): Promise<TestAnswer> =>
  app.ask('POST /v1/runs', { json: { workflow, inputs }, headers: { prefer: 'wait=60' } });

async function deploy(name: string, text: string): Promise<string> {
  const { status, body } = await app.deploy(text);
  expect({ status, body }).toMatchObject({ status: 201 });
  return name;
}

test('What a workflow puts, the workflows of its project get, with the type that they declare; no others do.', async () => {
  const project = `p${randomUUID().slice(0, 8)}`;
  const written = await deploy(`${project}/put`, putting(`${project}/put`));
  const read = await deploy(`${project}/deep/get`, getting(`${project}/deep/get`));
  const other = await deploy(`${project}x/get`, getting(`${project}x/get`));
  expect(await run(read)).toMatchObject({ body: { status: 'succeeded', outputs: { next: 1, found: false } } });
  expect(await run(written, { value: { id: 7 } })).toMatchObject({ body: { status: 'succeeded' } });
  expect(await run(read)).toMatchObject({ body: { outputs: { next: 8, found: true } } });
  expect(await run(other)).toMatchObject({ body: { outputs: { next: 1, found: false } } });
  expect(await run(getting(`${project}/get`))).toMatchObject({ body: { outputs: { next: 1, found: false } } });
  await run(written, { value: { id: 'text' } });
  expect(await run(read)).toMatchObject({
    body: {
      status: 'failed',
      error: { code: 'invalid-result', message: expect.stringContaining('"value"') as string },
    },
  });
});

test.each([
  ['a value above 64 KiB', '{ key: a, value: "${{ inputs.big }}" }', 'is the most (64 KiB)'],
  ['no value', '{ key: a, value: "${{ inputs.?none }}" }', '"value"'],
])('A put of %s is refused in words that say what is taken.', async (_, given, words) => {
  const text = one(`{ id: one, tool: kv/put, with: ${given} }`).replace(
    'steps:',
    'inputs: { none: { type: string, optional: true }, big: { type: string } }\nsteps:',
  );
  const { body } = await run(text, { big: 'x'.repeat(70_000) });
  expect(body).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(words) as string } });
});

test('Keys are listed by prefix, and a deleted one is gone; two names of the server have the same values.', async () => {
  const text = `workflow: w${randomUUID().slice(0, 8)}/w
steps:
  - forEach: [a/1, a/2, a/3, b/1]
    as: key
    steps: [{ tool: kv/put, with: { key: "\${{ key }}", value: 1 } }]
  - { tool: shared/delete, with: { key: a/2 } }
  - { id: page, tool: shared/list, with: { prefix: a/, limit: 1 } }
  - { id: rest, tool: kv/list, with: { prefix: a/, after: "\${{ steps.page.output.next }}" } }
outputs:
  keys: "\${{ (steps.page.output.keys + steps.rest.output.keys).map(one, one.key) }}"
  next: "\${{ steps.rest.output.next }}"
`;
  expect(await run(text)).toMatchObject({
    body: { status: 'succeeded', outputs: { keys: ['a/1', 'a/3'], next: null } },
  });
});

test('A poll reads the values of its project, and each key starts one run.', async () => {
  const project = `p${randomUUID().slice(0, 8)}`;
  const put = await deploy(`${project}/put`, putting(`${project}/put`));
  const poll = `${project}/poll`;
  await deploy(
    poll,
    `workflow: ${poll}
on:
  - poll: kv/list
    id: p
    start: all
    items: result.output.keys
    key: item.key
    inputs: { key: "\${{ item.key }}" }
inputs: { key: { type: string } }
steps:
  - { id: seen, tool: kv/get, with: { key: "\${{ inputs.key }}", output: { id: { type: integer } } } }
outputs: { id: "\${{ steps.seen.output.value.id }}" }
`,
  );
  const polled = () => app.ask(`POST /v1/polls/${encodeURIComponent(`${poll}.p`)}/poll`);
  expect((await polled()).body).toMatchObject({ outcome: 'answered' });
  await run(put, { value: { id: 7 } });
  for (let n = 0; n < 2; n += 1) expect((await polled()).body).toMatchObject({ outcome: 'answered' });
  const outputs = async (): Promise<unknown> => {
    const { body } = await app.ask(`GET /v1/runs?workflow=${encodeURIComponent(poll)}`);
    const runs = body['data'] as { readonly id: string }[];
    return Promise.all(runs.map(async ({ id }) => (await app.ask(`GET /v1/runs/${id}`)).body['outputs']));
  };
  await expect.poll(outputs).toEqual([{ id: 7 }]);
});

test('The gateway tells a session, which is of no project, to call in a step; a workflow that the session calls does so.', async () => {
  const project = `p${randomUUID().slice(0, 8)}`;
  const tool = `put_${project}`;
  const text = putting(`${project}/put`).replace('\ninputs', `\non: [{ tool: { name: ${tool} } }]\ninputs`);
  await deploy(`${project}/put`, text);
  await deploy(`${project}/get`, getting(`${project}/get`));
  const key = await app.newKey(['runs:read', 'runs:write']);
  const call = (name: string, given: object, url: string): Promise<string> =>
    askOverMcp(app, key, 'tools/call', { name, arguments: given }, url);
  expect(await call('kv__put', { key: 'seen', value: 1 }, '/mcp/gateway')).toContain('make it in a step of one');
  expect(await call(tool, { value: { id: 4 } }, '/mcp')).not.toContain('isError":true');
  expect(await run(`${project}/get`)).toMatchObject({ body: { outputs: { next: 5, found: true } } });
});

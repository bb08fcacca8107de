/** Workflows and schemas that would keep a process busy: the sender alone waits, and is told which one it was. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type CheckLimits, CheckThreads } from '@baton/control';
import { advance, requested } from '@baton/runner';
import { definitionOf, putDefinition } from '@baton/store';
import { type FreshStore, freshStore, offeringServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { overMcp } from '../testing/overMcp.ts';
import { type TestAnswer, type TestApp, checkProgram, openTestApp } from '../testing/testApp.ts';

const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const keys = (count: number, of: (i: number) => object): object =>
  Object.fromEntries(many(count, (i) => [`k${i}`, of(i)]));

/** Each argument wants a validator of its own, and each of those is as large as a schema may be: a second or so. */
const costly = {
  name: 'costly',
  inputSchema: {
    type: 'object',
    $defs: { wide: { type: 'object', properties: keys(120, () => ({ type: 'string', minLength: 1 })) } },
    properties: keys(24, (i) => ({ minLength: i, not: { $ref: '#/$defs/wide' } })),
  },
};
const simple = { name: 'simple', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } };

const workflow = (steps: string): string => `workflow: w\nsteps:\n${steps}`;
const callsCostly = `  - tool: nasty/simple
    with: { b: 1 }
  - tool: nasty/costly
    with: { ${many(24, (i) => `k${i}: ${'x'.repeat(24)}`).join(', ')} }
`;

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openWith(checkLimits: Partial<CheckLimits>): Promise<TestApp> {
  const servers = { nasty: offeringServer(join(folder, 'tools.json'), [costly, simple]) };
  const checkThreads = new CheckThreads(checkLimits, checkProgram());
  const app = await openTestApp(store, store.url, { servers, parts: { checkThreads } });
  onTestFinished(async () => {
    await app.close();
    await checkThreads.close();
  });
  return app;
}

const check = (app: TestApp, text: string): Promise<TestAnswer> =>
  app.ask('POST /v1/workflows/check?servers=true', {
    headers: { 'content-type': 'application/yaml' },
    payload: text,
  });

const findingsOf = ({ body }: TestAnswer): { code: string; line: number; message: string }[] =>
  body['findings'] as ReturnType<typeof findingsOf>;

describe('a schema of a server that takes too long', () => {
  test('is skipped and named, everything else is checked, and other requests are answered meanwhile', async () => {
    const app = await openWith({ silentMs: 200 });
    let isChecked = false;
    const hostile = check(app, workflow(callsCostly)).then((answer) => {
      isChecked = true;
      return answer;
    });
    for (let asked = 0; asked < 5; asked++) expect((await app.ask('GET /v1/workflows')).status).toBe(200);
    expect(isChecked).toBe(false);
    expect(findingsOf(await hostile)).toMatchObject([
      { code: 'unknown-argument', line: 4 },
      { code: 'assumed', line: 5, message: expect.stringContaining('"nasty/costly" cannot be used') as string },
    ]);
  });

  test('is checked if there is time', async () => {
    const app = await openWith({ silentMs: 60_000, totalMs: 60_000 });
    expect(findingsOf(await check(app, workflow(callsCostly)))).toMatchObject([{ code: 'unknown-argument', line: 4 }]);
  });
});

describe('a session that is learned', () => {
  const steps = many(30, (i) => ({ path: `simple-${i + 1}`, given: { a: `the value number ${i}` } }));

  async function newSession(): Promise<string> {
    const definition = definitionOf('workflow: session\nsteps: [{ set: {} }]\n', 'yaml', {});
    await putDefinition(store, definition);
    const order = { workflow: 'session', definition: definition.digest, inputs: {}, by: 'agent' };
    const { runId } = await store.request(requested({ ...order, trigger: { kind: 'session' } }, Date.now()));
    await advance(store.journal, runId, ({ at }) => [{ type: 'run.claimed', at, worker: 'w', claim: 1 }]);
    for (const { path, given } of steps) {
      const effect = { effect: 'write', from: 'default' } as const;
      const target = { verb: 'tool', server: 'nasty', tool: 'simple', effect, contract: 'as it was then' } as const;
      const call = { ...target, effect: 'write', arguments: { json: given } } as const;
      await advance(store.journal, runId, ({ at }) => [
        { type: 'call.requested', at, path, target, arguments: { json: given }, by: 'agent', digest: path },
        { type: 'step.started', at, path, verb: 'tool', attempt: 1, call },
        { type: 'step.succeeded', at, path, verb: 'tool', attempt: 1, value: { json: { content: [] } } },
      ]);
    }
    return runId;
  }

  test('becomes a checked workflow, and a tool that has changed since is named', async () => {
    const app = await openWith({});
    const { status, body } = await app.ask(`POST /v1/runs/${await newSession()}/learn`, { json: { name: 'mine' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ replay: { same: true, differences: [] }, leftOut: [], findings: [] });
    expect(body['source']).toContain('workflow: mine');
    expect(body['notes']).toContainEqual({
      step: 'nasty/simple',
      note: 'look: the definition of nasty/simple has changed since it was called',
    });
  });

  test('is given up where it takes too long, and its sender is told', async () => {
    const app = await openWith({ totalMs: 1 });
    const { status, body } = await app.ask(`POST /v1/runs/${await newSession()}/learn`);
    expect([status, body['detail']]).toEqual([409, expect.stringContaining('too long to learn from')]);
  });
});

test('a trial that loops over loops is given up, and others are answered meanwhile', async () => {
  const app = await openWith({ silentMs: 1_000 });
  const source = workflow(
    `  - forEach: \${{ range(10000) }}
    as: x
    steps: [{ forEach: "\${{ range(1000) }}", as: y, steps: [{ tool: nasty/simple, with: { a: "\${{ string(y) }}" } }] }]
`,
  );
  let isTried = false;
  const trial = overMcp(app, await app.newKey(['workflows:write']), 'try_workflow', { source }).then((answer) => {
    isTried = true;
    return answer;
  });
  for (let asked = 0; asked < 5; asked++) expect((await app.ask('GET /v1/workflows')).status).toBe(200);
  expect(isTried).toBe(false);
  expect(await trial).toContain('The trial took too much time or memory');
});

describe('a check that does not come to its end', () => {
  /** Six thousand edges between five hundred steps. */
  const tangled = workflow(
    `  - parallel:\n${many(480, (i) => `      - id: s${i}\n        needs: [${many(Math.min(i, 14), (j) => `s${i - 1 - j}`).join(', ')}]\n        set: { a: 1 }\n`).join('')}`,
  );

  test('since it takes too long is given up, and the file is not deployed', async () => {
    const app = await openWith({ totalMs: 1 });
    const { status, body } = await app.deploy(tangled);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ code: 'too-large', line: 1 }]);
  });

  test('since it takes too much memory is given up, and the file is not deployed', async () => {
    const app = await openWith({ memoryMb: 12 });
    const { status, body } = await app.deploy(tangled);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ code: 'too-large', line: 1 }]);
  });

  test('does so where there is room', async () => {
    const app = await openWith({ totalMs: 60_000 });
    expect((await app.deploy(tangled)).status).toBe(201);
  });
});

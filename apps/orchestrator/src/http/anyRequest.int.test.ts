import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openApiDocument } from '@baton/api';
import { type FreshStore, freshStore, toolsServer } from '@baton/testing';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let runId: string;
const folder = mkdtempSync(join(tmpdir(), 'baton-any-'));

beforeAll(async () => {
  store = await freshStore();
  // As many as the property likes to ask, and no other limit is tried here.
  const rateLimits = { ofKey: 1e9, ofAddress: 1e9, windowMs: 60_000 };
  // Of the name that addresses are tried with, as the workflow is.
  const servers = { hello: toolsServer(join(folder, 'ledger')) };
  app = await openTestApp(store, store.url, { parts: { rateLimits }, servers });
  const on = 'on: [{ schedule: "0 6 * * *" }, { webhook: hello, secret: hello }]';
  const inputs = 'inputs:\n  text: { type: string, default: x }';
  await app.deploy(`workflow: hello\n${on}\n${inputs}\nsteps:\n  - set: { a: 1 }\n`);
  await app.ask('PUT /v1/secrets/hello', { json: { value: 'of-no-interest' } });
  const { body } = await app.ask('POST /v1/workflows/hello/runs', { json: {} });
  runId = String(body['id']);
});

afterAll(async () => {
  await app.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

interface Parameter {
  readonly in: string;
  readonly name: string;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  /** Members that bodies have. */
  readonly members: readonly string[];
}

function operations(): Operation[] {
  const { paths, components } = openApiDocument({ version: '0', metricsAccess: 'public' }) as unknown as {
    paths: Record<string, Record<string, { parameters?: Parameter[]; requestBody?: object }>>;
    components: { schemas: Record<string, { properties?: object }> };
  };
  const members = Object.values(components.schemas).flatMap(({ properties = {} }) => Object.keys(properties));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
      members: [...new Set(members)],
    })),
  );
}

/** Text that has made servers stumble before, and any other. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    '../..',
    '%00',
    '%',
    "'; drop table run; --",
    '-1',
  ),
  fc.constantFrom(
    '1e400',
    '99999999999999999999',
    '0',
    'NaN',
    'true',
    'null',
    '{}',
    'hello',
    '2026-02-30T00:00:00Z',
    '1h',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 600 }),
);

const json = (members: readonly string[]) =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(runId)),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(fc.constantFrom(...members), text), tie('value'), { maxKeys: 6 }),
  }));

const body = (members: readonly string[]) => {
  const { value, object } = json(members);
  return fc.oneof(
    object.map((one) => JSON.stringify(one)),
    value.map((one) => JSON.stringify(one)),
    fc.tuple(object, fc.nat(200)).map(([one, cut]) => JSON.stringify(one).slice(0, cut)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('workflow: hello\nsteps: []', '[', '{"a":'.repeat(500), '\0', 'a: &a [*a]'),
  );
};

const types = [
  'application/json',
  'application/json',
  'application/json; charset=utf-16',
  'application/yaml',
  'text/plain',
  '*/*',
  '',
];

const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

const request = (operation: Operation) =>
  fc.record({
    path: fc
      .array(fc.oneof(text.map(encoded), fc.constantFrom('hello', runId, '1', '%E0%A4%A', 'hello.schedule-1')), {
        minLength: 3,
        maxLength: 3,
      })
      .map((parts) => parts.reduce((path, part) => path.replace(/\{\w+\}/, () => part || 'x'), operation.path)),
    query: fc.array(
      fc
        .tuple(fc.oneof(fc.constantFrom(...operation.query, 'cursor', 'evil'), text), text)
        .map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
      { maxLength: 3 },
    ),
    type: fc.constantFrom(...types),
    payload: body(operation.members),
    headers: fc.dictionary(
      fc.constantFrom(
        'idempotency-key',
        'prefer',
        'last-event-id',
        'accept',
        'if-match',
        'x-request-id',
        'expect-nothing',
      ),
      fc.oneof(
        fc.constantFrom('wait=0', '"1"', '*', '*/*', 'application/json'),
        fc.string({ maxLength: 50 }).map((one) => one.replaceAll(/[^\x20-\x7e]/g, '')),
      ),
      { maxKeys: 3 },
    ),
  });

/**
 * Goal: no request is answered with 500, and every answer is as the OpenAPI document says.
 * Method: for each operation of the document, addresses, queries, headers and bodies that are sometimes right, mostly
 * nearly right, and now and then plain bytes. Every answer is held to the document by `ask`.
 */
test('no request is answered with a fault of ours', async () => {
  for (const operation of operations()) {
    await fc.assert(
      fc.asyncProperty(request(operation), async ({ path, query, type, payload, headers }) => {
        const hasBody = operation.method !== 'GET';
        const { status, body: answer } = await app.ask(
          `${operation.method} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
          {
            headers: { ...headers, ...(hasBody && type !== '' ? { 'content-type': type } : {}) },
            ...(hasBody ? { payload } : {}),
          },
        );
        expect([operation.method, operation.path, status < 500 || JSON.stringify(answer)]).toEqual([
          operation.method,
          operation.path,
          true,
        ]);
      }),
      { numRuns: 30, seed: 20261121 },
    );
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect((await app.ask('GET /v1/runs?limit=200')).status).toBe(200);
});

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { AnswerCheck, type ApiDocument } from '../testing/testAnswers.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let document: ApiDocument;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { version: '0.1.0' } });
  document = JSON.parse((await app.ask('GET /openapi.json', { key: '' })).text) as ApiDocument;
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const verbs = new Set(['get', 'put', 'post', 'delete', 'patch']);
const operations = (): [method: string, path: string, operation: Record<string, unknown>][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => verbs.has(method))
      .map(([method, operation]): [string, string, Record<string, unknown>] => [
        method.toUpperCase(),
        path,
        operation as unknown as Record<string, unknown>,
      ]),
  );

/** What the server has, from the server itself: `GET /v1/runs/{id}`. */
function served(): string[] {
  const parents: string[] = [];
  const all: string[] = [];
  for (const line of app.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([│├└─ ]*)([^ ]+)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? [];
    if (part === '') continue;
    const depth = indent.length / 4;
    parents.splice(Math.max(0, depth - 1));
    parents.push(part);
    const path = parents.join('').replaceAll(/:(\w+)/g, '{$1}');
    for (const method of methods.split(', ')) if (verbs.has(method.toLowerCase())) all.push(`${method} ${path}`);
  }
  return all;
}

/** Not REST: the document itself, the pages and their files, where browsers come back to, and what speaks MCP. */
const isElse = (route: string): boolean =>
  /^(?:GET \/(?!v1\/|healthz$|readyz$|metrics$|schema\/)|\w+ \/(?:mcp(?:\/gateway)?$|oauth\/))/.test(route);

describe('the OpenAPI document', () => {
  test('names every route that is served, and no other', () => {
    const documented = operations().map(([method, path]) => `${method} ${path}`);
    expect(served().length).toBeGreaterThan(20);
    expect(documented.toSorted()).toEqual([...new Set(served())].filter((route) => !isElse(route)).toSorted());
  });

  test('is of version 3.1, and says of each operation what it is for and who may', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const [method, path, operation] of operations()) {
      const where = `${method} ${path}`;
      expect([where, operation['summary'], operation['tags'], operation['security']]).toEqual([
        where,
        expect.any(String),
        [expect.any(String)],
        expect.any(Array),
      ]);
    }
  });

  test('is right about who may: without a key only what it says is open is answered', async () => {
    for (const [method, path, { security }] of operations()) {
      const isOpen = (security as unknown[]).length === 0;
      const address = path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await app.ask(`${method} ${address}`, { key: '' });
      expect([method, path, answer.headers['www-authenticate'] === undefined]).toEqual([method, path, isOpen]);
    }
  });

  test('refers to nothing that is not in it', () => {
    const text = JSON.stringify(document);
    const schemas = (document as unknown as { components: { schemas: object } }).components.schemas;
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(referred.length).toBeGreaterThan(10);
    expect(referred.filter((name) => name === undefined || !Object.hasOwn(schemas, name))).toEqual([]);
  });
});

describe('the check of answers by the document', () => {
  const run = (more: object) => ({
    method: 'GET',
    url: '/v1/workflows?limit=5',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify({ data: [], ...more }),
  });

  test('takes what is as it says, and finds what is not', () => {
    const check = new AnswerCheck(document);
    expect(check.fault(run({}))).toBeUndefined();
    expect(check.fault(run({ more: 1 }))).toContain('additional properties');
    expect(check.fault({ ...run({}), status: 204 })).toContain('no such status');
    expect(check.fault({ ...run({}), status: 404 })).toContain('does not know application/json');
    expect(check.fault({ ...run({}), contentType: 'text/html' })).toContain('does not know text/html');
    const problem = { ...run({}), status: 404, contentType: 'application/problem+json' };
    expect(check.fault(problem)).toContain('required property');
  });
});

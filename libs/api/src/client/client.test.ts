import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { ProblemError } from '../problems.ts';
import { createClient } from './createClient.ts';
import { UnreachableError } from './unreachable.ts';

type SentRequest = {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
};

/** A server of ours in one function: what it answers to the n-th request, and what it was asked. */
function serving(answers: readonly (() => Response)[]) {
  const sent: SentRequest[] = [];
  const answer: typeof fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const key = new Headers(init.headers).get('idempotency-key');
    sent.push({
      method: init.method ?? '',
      path: pathname + search,
      key,
      body: typeof init.body === 'string' ? init.body : '',
    });
    const next = answers[sent.length - 1];
    if (next === undefined) throw new Error('one request too many');
    return next();
  };
  return { sent, client: createClient({ url: 'http://baton.test/base', key: 'secret', fetch: answer }) };
}

const problem =
  (code: string, status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      { type: `urn:baton:problem:${code}`, title: 'No.', status, detail: 'Not now.', instance: '/', requestId: 'r1' },
      { status, headers: { 'content-type': 'application/problem+json', ...headers } },
    );
const accepted = () => Response.json({ id: 'run-1', status: 'queued' }, { status: 202 });
const refused = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNRESET' }) });
};

test('a start whose answer is lost is sent again with the same key', async () => {
  const { sent, client } = serving([refused, problem('dependency-down', 503), accepted]);
  expect(await client.runs.start('hello', { a: 1 })).toEqual({ id: 'run-1', status: 'queued' });
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect(sent[0]).toMatchObject({ method: 'POST', path: '/base/v1/runs', key: expect.stringMatching(/^[\da-f]{32}$/) });
});

test('what may have been done is not asked for again without a key', async () => {
  const { sent, client } = serving([refused]);
  await expect(client.questions.answer('q', {})).rejects.toThrow(UnreachableError);
  expect(sent).toHaveLength(1);
});

test('what was refused before anything was done is asked for again', async () => {
  const { sent, client } = serving([problem('rate-limited', 429), () => Response.json({ id: 'q' })]);
  await client.questions.answer('q', { ok: true });
  expect(sent.map(({ body }) => body)).toEqual(['{"answer":{"ok":true}}', '{"answer":{"ok":true}}']);
});

test('a stream that is refused at first is asked for again', async () => {
  const text = `id: 1\ndata: ${JSON.stringify({ type: 'run.finished', at: 1, status: 'succeeded' })}\n\n`;
  const stream = () => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  const { sent, client } = serving([problem('dependency-down', 503), stream, () => Response.json({ id: 'run-1' })]);
  expect(await client.runs.wait('run-1')).toEqual({ id: 'run-1' });
  expect(sent.map(({ path }) => path)).toEqual([
    '/base/v1/runs/run-1/events',
    '/base/v1/runs/run-1/events',
    '/base/v1/runs/run-1',
  ]);
});

test('a refusal is one error class, with the code', async () => {
  const { client } = serving([problem('not-found', 404, { 'retry-after': '2' })]);
  const error: unknown = await client.runs.get('a/b').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({
    code: 'not-found',
    status: 404,
    message: 'Not now.',
    requestId: 'r1',
    request: 'GET /v1/runs/a%2Fb',
    retryAfterMs: 2_000,
  });
});

test('a proxy that has no answer of Baton is asked again, unless the request may have had an effect', async () => {
  const html = (status: number) => () => new Response('<html>', { status, headers: { 'content-type': 'text/html' } });
  const { sent, client } = serving([html(502), html(504), accepted]);
  await client.runs.start('hello');
  expect(sent).toHaveLength(3);
  const { client: careful } = serving([html(504), accepted]);
  await expect(careful.questions.answer('q', {})).rejects.toThrow('answered 504: Baton did not.');
});

test('a server that is not Baton is reported as such', async () => {
  const { client } = serving([() => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } })]);
  await expect(client.keys.get('x')).rejects.toThrow('is not Baton: it answered 404 with text/html.');
});

test('lists are read page after page, and no further than is wanted', async () => {
  const page = (from: number, nextCursor?: string) => () =>
    Response.json({ data: [{ id: from }, { id: from + 1 }], nextCursor });
  const { sent, client } = serving([page(1, 'c1'), page(3, 'c2')]);
  const ids = await Array.fromAsync(client.runs.all({ status: 'failed' }, { limit: 3 }), ({ id }) => id);
  expect(ids).toEqual([1, 2, 3]);
  expect(sent.map(({ path }) => path)).toEqual([
    '/base/v1/runs?status=failed&limit=3',
    '/base/v1/runs?status=failed&limit=1&cursor=c1',
  ]);
});

/** Files that are loaded at run time, from the door on. */
function loaded(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen;
  const imports = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gms)];
  const names = imports.map(([, name = '']) => name);
  seen.set(file, names);
  for (const name of names) {
    if (name.startsWith('.')) loaded(join(dirname(file), name), seen);
    if (name === '@baton/primitives') loaded(fileURLToPath(import.meta.resolve(name)), seen);
  }
  return seen;
}

test('the client loads no schemas and nothing of Node', () => {
  const files = loaded(fileURLToPath(new URL('index.ts', import.meta.url)));
  const outside = [...files.values()].flat().filter((name) => !/^\.|^@baton\/primitives$/.test(name));
  expect(files.size).toBeGreaterThan(8);
  expect([...new Set(outside)]).toEqual(['eventsource-parser']);
});

/** What the first requests of a session meet: a server that answers `initialize` works, in a revision that it knows. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { JsonObject } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc, text, type Message } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

type Reaction = (response: ServerResponse, message: Message) => unknown;

interface Reactions {
  readonly discover?: Reaction;
  readonly initialize?: Reaction;
  readonly notice?: Reaction;
}

const offered = ({ params }: Message): string => {
  const { protocolVersion } = (params ?? {}) as { readonly protocolVersion?: string };
  return protocolVersion ?? '';
};

const introduce: Reaction = (response, message) => json(response, rpc(message.id, introduction(offered(message))));

/** Its methods in order; a revision beside `initialize`. */
async function serverWith({ discover, initialize = introduce, notice }: Reactions) {
  const heard: string[] = [];
  const react = (message: Message, response: ServerResponse): unknown => {
    const { id, method = '' } = message;
    heard.push(method === 'initialize' ? `initialize ${offered(message)}` : method);
    if (method === 'server/discover') return (discover ?? ((it) => it.writeHead(404).end()))(response, message);
    if (method === 'initialize') return initialize(response, message);
    if (id === undefined) return (notice ?? ((it) => it.writeHead(202).end()))(response, message);
    return json(response, rpc(id, text('done')));
  };
  const url = await listening((request: IncomingMessage, response) => {
    if (request.method === 'POST') void messageOf(request).then((message) => react(message, response));
    else response.writeHead(405).end();
  });
  return { url, heard };
}

const status =
  (code: number, body = '', headers: Readonly<Record<string, string>> = {}): Reaction =>
  (response) =>
    response.writeHead(code, headers).end(body);
const body =
  (value: unknown): Reaction =>
  (response) =>
    json(response, value);
const refusing =
  (code: number, message: string, data?: JsonObject): Reaction =>
  (response, { id }) =>
    json(response, { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
const silent: Reaction = () => undefined;

describe('initialize follows, however server/discover is answered', () => {
  test.each<[string, Reaction]>([
    ...[201, 202, 204, 400, 402, 403, 405, 406, 410, 415, 418, 422, 500, 501, 502, 504].map(
      (code) => [`with ${code}`, status(code, 'no')] as [string, Reaction],
    ),
    ['with a page', status(200, '<h1>Welcome</h1>', { 'content-type': 'text/html' })],
    ['with nothing', status(200)],
    ['with a text', body('ok')],
    ['with a list', body([])],
    ['with an object', body({})],
    ['with an error without an id', body({ jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'no' } })],
    ['with an internal error', refusing(-32_603, 'oops')],
    ['with an error of its own', refusing(-32_099, 'not before initialize')],
    ['with a result that names no revision', (response, { id }) => json(response, rpc(id, {}))],
    [
      'with revisions that Baton does not speak',
      (response, { id }) => json(response, rpc(id, { supportedVersions: ['2031-01-01'], capabilities: {} })),
    ],
    ['with a stream that ends', status(200, ': no\n\n', { 'content-type': 'text/event-stream' })],
    ['with a stream of something else', status(200, event({ level: 'info' }), { 'content-type': 'text/event-stream' })],
    ['by closing the connection', (response) => response.destroy()],
    [
      'with half an answer',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    ],
  ])('%s', async (_, discover) => {
    const { url, heard } = await serverWith({ discover });
    const { call } = trial({ it: { url } });
    expect(textOf(await call('it', 'x'))).toBe('done');
    expect(heard.slice(0, 2)).toEqual(['server/discover', 'initialize 2025-11-25']);
  });

  test('within the time, where it is not answered at all', async () => {
    const { url } = await serverWith({ discover: silent });
    const { call } = trial({ it: { url } }, { limits: { openMs: 1_500 } });
    expect(textOf(await call('it', 'x'))).toBe('done');
  });

  test.each<[string, Reaction, string]>([
    ['a login', status(401, 'who are you?'), 'server-unauthorized'],
    ['too many requests', status(429, 'later', { 'retry-after': '9' }), 'server-unreachable'],
  ])('except after %s', async (_, discover, code) => {
    const { url, heard } = await serverWith({ discover });
    const { failure } = trial({ it: { type: 'http', url } });
    const failed = await failure('it', 'x');
    expect(failed).toMatchObject({ code, delivery: 'unsent' });
    expect(failed.message).toMatch(/answered \d+ to "server\/discover": /);
    expect(heard).toEqual(['server/discover']);
  });

  test('and where neither is answered, both are named', async () => {
    const { url } = await serverWith({ discover: silent, initialize: silent });
    const { failure } = trial({ it: { url } }, { limits: { openMs: 600 } });
    expect((await failure('it', 'x')).message).toMatch(
      /did not answer "server\/discover" nor "initialize" within 600ms\. .*"openTimeout": "10m"/,
    );
  });

  test('and a server that was too slow for it and knows no initialize is asked again', async () => {
    const capabilities = { tools: {} };
    const discovered = { supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete' };
    let isSlow = true;
    const { url, heard } = await serverWith({
      discover: (response, { id }) => {
        if (!isSlow) json(response, rpc(id, discovered));
        isSlow = false;
      },
      initialize: refusing(-32_601, 'Method not found'),
    });
    const { call, status: state } = trial({ it: { url } }, { limits: { openMs: 1_500 } });
    expect(textOf(await call('it', 'x'))).toBe('done');
    expect(state()).toMatchObject([{ protocolVersion: '2026-07-28' }]);
    expect(heard.slice(0, 3)).toEqual(['server/discover', 'initialize 2025-11-25', 'server/discover']);
  });
});

describe('a refused revision leads to one that the server names, or to an older one', () => {
  /** Refuses what is not 2025-03-26, in its own way. */
  const only =
    (refuse: Reaction): Reaction =>
    (response, message) =>
      offered(message) === '2025-03-26' ? introduce(response, message) : refuse(response, message);

  test.each<[string, Reaction, number]>([
    ['in a sentence', status(400, 'Unsupported version (supported: 2024-11-05, 2025-03-26)'), 2],
    ['in a problem', status(422, JSON.stringify({ detail: 'use 2025-03-26' })), 2],
    ['in the data of an error', refusing(-32_602, 'Unsupported protocol version', { supported: ['2025-03-26'] }), 2],
    [
      'in an error with 400',
      (response, { id }) =>
        json(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: 'need 2025-03-26' } }, 400),
      2,
    ],
    ['not at all', status(400, 'Bad Request: Unsupported protocol version'), 3],
    ['not at all, in an error', refusing(-32_602, 'invalid protocolVersion'), 3],
  ])('%s', async (_, refuse, tries) => {
    const { url, heard } = await serverWith({ initialize: only(refuse) });
    const { call, status: state, test: testNow } = trial({ it: { url, baton: { scope: 'call' } } });
    expect(textOf(await call('it', 'x'))).toBe('done');
    expect(state()).toMatchObject([{ protocolVersion: '2025-03-26' }]);
    const offers = (): string[] => heard.filter((method) => method.startsWith('initialize'));
    expect(offers()).toHaveLength(tries);
    // The next session begins with what the server took.
    await testNow('it');
    expect(offers().slice(tries)).toEqual(['initialize 2025-03-26']);
  });

  test('and a refusal for another reason is not', async () => {
    const { url, heard } = await serverWith({ initialize: status(400, 'no tenant for 2025-03-27') });
    const { failure } = trial({ it: { type: 'http', url } });
    expect((await failure('it', 'x')).message).toMatch(/answered 400 to "initialize": no tenant/);
    expect(heard.filter((method) => method.startsWith('initialize'))).toEqual(['initialize 2025-11-25']);
  });

  test('and not against the configuration, which is named', async () => {
    const { url } = await serverWith({
      initialize: (response, { id }) => json(response, rpc(id, introduction('2025-03-26'))),
    });
    const { failure } = trial({ it: { url, baton: { protocol: '2025-06-18' } } });
    expect((await failure('it', 'x')).message).toContain(
      'it speaks the revision "2025-03-26", and "protocol" in mcp.json asks for 2025-06-18',
    );
  });
});

describe('the handshake goes on, however its notification is answered', () => {
  test.each<[string, Reaction]>([
    ...[200, 204, 400, 404, 405, 500].map((code) => [`with ${code}`, status(code)] as [string, Reaction]),
    ['with an error', body({ jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'no' } })],
    [
      'with a stream that stays open',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
    ],
    ['by closing the connection', (response) => response.destroy()],
    ['not at all', silent],
  ])('%s', async (_, notice) => {
    const { url } = await serverWith({ notice });
    const { call } = trial({ it: { url } });
    expect(textOf(await call('it', 'x'))).toBe('done');
  });
});

describe('an introduction that lacks what it needs', () => {
  const whole = introduction('2025-11-25');
  const { capabilities: _, ...incapable } = whole;
  const { serverInfo: __, ...nameless } = whole;
  test.each<[JsonObject | null, string]>([
    [incapable, 'lacks "capabilities"'],
    [nameless, 'lacks "serverInfo"'],
    [{ ...whole, serverInfo: { name: 'x' } }, 'lacks "serverInfo.version"'],
    [{ ...whole, serverInfo: { version: '1' } }, 'lacks "serverInfo.name"'],
    [{ ...whole, capabilities: 'all' }, '"capabilities" of its introduction is "all", and not an object'],
    [{ ...whole, protocolVersion: 2 }, '"protocolVersion" of its introduction is 2, and not a text'],
    [{ ...whole, protocolVersion: null }, '"protocolVersion" of its introduction is null, and not a text'],
    [{ ...whole, protocolVersion: '2031-01-01' }, 'it speaks the revision "2031-01-01"'],
    [{ ...whole, instructions: 7 }, '"instructions" of its introduction is 7, and not a text'],
  ])('is refused by the name of the member: %j', async (result, words) => {
    const { url } = await serverWith({ initialize: (response, { id }) => json(response, rpc(id, result)) });
    const { failure } = trial({ it: { url } });
    expect((await failure('it', 'x')).message).toContain(words);
  });
});

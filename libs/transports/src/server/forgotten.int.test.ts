/** Servers that forget their sessions, as they do when they are restarted, and say so in words of their own. */
import type { ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { event, json, type Message } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';
import { sessionTrial } from '../testing/testSessions.ts';

type Gone = (message: Message, response: ServerResponse) => void;

const refusal = (id: Message['id'] | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
const withBody =
  (status: number, body: unknown): Gone =>
  (_, response) =>
    json(response, body, status);
const withText =
  (status: number, words: string): Gone =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(words);
const withError =
  (code: number, words: () => string): Gone =>
  ({ id }, response) =>
    json(response, refusal(id, code, words()));

let count = 0x1f00;

describe('a call that a server refused because it forgot the session is made on a new one, once', () => {
  test.each<[string, Gone]>([
    ['404 with a page', withText(404, '<h1>404</h1>')],
    ['400 with an error of JSON-RPC', withBody(400, refusal(null, -32_000, 'Bad Request: Server not initialized'))],
    ['400 with a sentence', withText(400, 'who are you?')],
    ['401', withText(401, 'unknown client')],
    ['403', withBody(403, { error: 'forbidden' })],
    ['409', withText(409, 'initialize first')],
    ['410', withText(410, '')],
    ['422', withText(422, 'expected initialize request')],
    ['428', withText(428, 'handshake required')],
    ['an error with status 200', withError(-32_001, () => 'Session not found')],
    ['an error that names the session', withError(-32_000, () => 'no such session: 7f3a-88')],
    [
      'an error that names each request',
      withError(-32_004, () => `unknown client (request ${(++count).toString(16)})`),
    ],
    ['an invalid request with status 200', withError(-32_600, () => 'terminated')],
    ['invalid parameters with status 200', withError(-32_602, () => 'session id is stale')],
    [
      'an error in a stream of events',
      ({ id }, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(event(refusal(id, -32_001, 'Session expired'))),
    ],
  ])('%s', async (_, gone) => {
    const { url, calls, opened, forget } = await sessionTrial(gone);
    const { call } = trial({ it: { url } });
    await call('it', 'first');
    forget();
    expect(textOf(await call('it', 'second'))).toBe('done');
    expect(textOf(await call('it', 'third'))).toBe('done');
    expect({ calls, opened: opened() }).toEqual({ calls: ['first', 'second', 'third'], opened: 2 });
  });
});

describe('a call that may have run is not repeated, and the next one finds a new session', () => {
  test.each<[string, Gone]>([
    ['500 with an error', withBody(500, refusal(null, -32_603, 'Session not found'))],
    ['500 with a page', withText(500, '<h1>Oops</h1>')],
    ['an internal error with status 200', withError(-32_603, () => 'no session')],
    ['a page with status 200', withText(200, '<h1>Log in</h1>')],
    ['nothing with status 200', withText(200, '')],
    ['204', (_, response) => void response.writeHead(204).end()],
  ])('%s', async (_, gone) => {
    const { url, calls, forget } = await sessionTrial(gone);
    const { call, failure } = trial({ it: { url } }, { limits: { pingMs: 5_000 } });
    await call('it', 'first');
    forget();
    expect((await failure('it', 'second')).delivery).not.toMatch(/unsent|rejected/);
    expect(textOf(await call('it', 'third'))).toBe('done');
    expect(calls).toEqual(['first', 'third']);
  });
});

describe('a session that the server knows is kept when it refuses a call', () => {
  test.each<[string, Gone]>([
    ['with a status', withText(400, 'no such city')],
    ['with an error', withError(-32_602, () => 'no such city')],
    ['with an error of its own', withError(-32_000, () => 'the database is locked')],
  ])('%s', async (_, react) => {
    const { url, calls, opened } = await sessionTrial(() => {}, react);
    const { failure } = trial({ it: { url } });
    for (let times = 0; times < 3; times++) await failure('it', 'book');
    expect({ calls, opened: opened() }).toEqual({ calls: ['book', 'book', 'book'], opened: 1 });
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';
import { edgeLimits } from './edgeLimits.ts';

let store: FreshStore;
let app: TestApp;
let url: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  url = await app.listen();
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const problem = (name: string, status: number, detail?: RegExp) => ({
  status,
  body: {
    type: `urn:baton:problem:${name}`,
    status,
    ...(detail === undefined ? {} : { detail: expect.stringMatching(detail) as string }),
  },
});

const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<TestAnswer> =>
  app.ask('POST /v1/runs', { headers: { 'content-type': 'application/json', ...headers }, payload: body });

/** Sent as it is, over a bare socket; the answer as it comes. */
async function raw(text: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

describe('every answer', () => {
  test('has an id of its own, is not guessed at, and is not kept', async () => {
    const [one, other] = await Promise.all([app.ask('GET /v1/runs'), app.ask('GET /v1/nothing')]);
    expect(one.headers['x-request-id']).not.toBe(other.headers['x-request-id']);
    expect(other.body['requestId']).toBe(other.headers['x-request-id']);
    for (const { headers } of [one, other]) {
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    }
  });

  test('does not repeat the query, which may hold what it should not', async () => {
    const answer = await app.ask('GET /v1/runs/x?api_key=hunter2');
    expect(answer.body['instance']).toBe('/v1/runs/x');
    expect(answer.text).not.toContain('hunter2');
  });
});

describe('an address', () => {
  test.each([
    ['DELETE /v1/runs', 405, 'GET, HEAD, POST'],
    ['PUT /v1/workflows/hello', 405, 'DELETE, GET, HEAD'],
    ['POST /v1/runs/x/events', 405, 'GET, HEAD'],
    ['POST /healthz', 405, 'GET, HEAD, OPTIONS'],
  ])('%s is told which methods go with it', async (what, status, allow) => {
    const answer = await app.ask(what);
    expect(answer).toMatchObject(problem('method-not-allowed', status));
    expect(answer.headers['allow']).toBe(allow);
  });

  test.each([
    'GET /v1/nothing',
    'GET /nothing',
    'GET /v1/runs/..%2f..%2fetc%2fpasswd',
    'GET /v1/runs/%00',
    'GET /v1/runs/%F0%9F%98%80/events',
    'POST /v1/runs/%00/cancel',
    'GET /v1/workflows/%00',
    'GET /v1/workflows/Hello',
    'GET /v1/workflows/hello/versions/0x1',
    'GET /v1/workflows/hello/versions/99999999999',
    'GET /v1/workflows/hello/versions/9999999999',
    'GET /v1/servers/%00',
    'GET /v1/servers/__proto__/tools',
  ])('%s is not there', async (what) => {
    expect(await app.ask(what)).toMatchObject(problem('not-found', 404));
  });

  test('that is no URL is refused', async () => {
    expect(await app.ask('GET /v1/runs/%E0%A4%A')).toMatchObject(problem('malformed-request', 400));
  });

  test('that is too long, as a whole or in a part', async () => {
    expect(await app.ask(`GET /v1/runs?tag=${'a'.repeat(9_000)}`)).toMatchObject(problem('uri-too-long', 414));
    expect(await app.ask(`GET /v1/runs/${'a'.repeat(600)}`)).toMatchObject(problem('uri-too-long', 414));
  });

  test('TRACE and made-up methods are refused, and the next request is served', async () => {
    expect(await raw('TRACE / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 40[45]/);
    expect(await raw('BREW /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*problem\+json/s);
    expect((await app.ask('GET /healthz')).status).toBe(200);
  });

  test('a client without a key does not learn which addresses exist', async () => {
    expect((await app.ask('GET /v1/nothing', { key: '' })).status).toBe(401);
    expect((await app.ask('DELETE /v1/runs', { key: '' })).status).toBe(401);
  });
});

describe('on the wire', () => {
  test('a header that is too large is refused', async () => {
    const answer = await raw(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(answer).toContain('urn:baton:problem:headers-too-large');
    expect(answer).toMatch(/x-request-id: [\da-f-]{36}/);
  });

  test.each([
    'rubbish\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -1\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx\u0000y: 1\r\n\r\n',
  ])('%j is answered with 400 and the end of the connection', async (text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1.1 400 .*urn:baton:problem:malformed-request/s);
  });

  test.each([
    ['no host', 'GET /v1/runs HTTP/1.1\r\n', 400, 'malformed-request'],
    ['no host, in HTTP/1.0', 'GET /v1/runs HTTP/1.0\r\n', 400, 'malformed-request'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\n', 400, 'malformed-request'],
    [
      'two keys',
      'GET /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer a\r\nauthorization: Bearer b\r\n',
      400,
      'malformed-request',
    ],
    [
      'another host in its address',
      'GET http://evil.example/v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n',
      403,
      'host-refused',
    ],
    ['a whole address', 'GET http://127.0.0.1/v1/nothing HTTP/1.1\r\nhost: 127.0.0.1\r\n', 401, 'unauthenticated'],
    ['a tunnel', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nhost: 127.0.0.1\r\n', 400, 'malformed-request'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1\r\n', 404, 'not-found'],
    [
      'a body that is compressed on its way',
      'POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: gzip, chunked\r\n',
      415,
      'unsupported-media-type',
    ],
    ['an upgrade', 'GET /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\n', 401, 'unauthenticated'],
  ])('a request with %s is told what is wrong with it', async (_what, head, status, name) => {
    const answer = await raw(`${head}connection: close\r\n\r\n`);
    expect(answer.split('\r\n', 1)[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(`urn:baton:problem:${name}`);
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])(
    'a health check by %s is answered without a host, as balancers ask',
    async (method) => {
      for (const path of ['/healthz', '/readyz', '/readyz?from=balancer'])
        for (const version of ['1.0', '1.1'])
          expect(await raw(`${method} ${path} HTTP/${version}\r\nconnection: close\r\n\r\n`)).toMatch(
            /^HTTP\/1.1 200 /,
          );
      const led = await raw(`${method} /readyz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
      expect(led).toMatch(/^HTTP\/1.1 403 /);
    },
  );

  test('other expectations of a client are ignored', async () => {
    const head = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n';
    expect(await raw(`${head}expect: wonders\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    const post = 'POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nexpect: 100-continue\r\n';
    const answer = await raw(`${post}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
    expect(answer).toMatch(/HTTP\/1.1 401 .*problem\+json/s);
  });

  test('a body that is sent in pieces, with trailers, is one body', async () => {
    const head = `POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${await app.newKey(['runs:write'])}\r\n`;
    const chunks = '7;x=y\r\n{"workf\r\nf\r\nlow":"hello"}  \r\n0\r\nauthorization: Bearer x\r\n\r\n';
    const kind = 'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
    expect(await raw(`${head}${kind}${chunks}`)).toMatch(/^HTTP\/1.1 202 /);
  });

  test('a body without a length that is too large is cut off', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'a');
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent > edgeLimits.bodyBytes) return controller.close();
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const answer = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await app.newKey(['admin'])}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
  });
});

describe('a body', () => {
  test('that is empty may have a content type, or none', async () => {
    const json = { headers: { 'content-type': 'application/json' } };
    for (const typed of [{}, json]) expect((await app.ask('POST /v1/audit/verify', typed)).status).toBe(200);
  });

  test.each([
    ['{"workflow":', 'malformed-request', 400, /line 1, column 13/],
    ['', 'malformed-request', 400, /required/],
    ['   ', 'malformed-request', 400, /required/],
    ['[]', 'validation-failed', 422, /an object/],
    ['null', 'malformed-request', 400, /body is required/],
    ['"x"', 'validation-failed', 422, /an object/],
    ['123', 'validation-failed', 422, /an object/],
    ['{"workflow":"hello","evil":1}', 'validation-failed', 422, /"evil" is superfluous/],
    ['{"workflow":"hello","__proto__":{"admin":true}}', 'validation-failed', 422, /__proto__/],
    ['{"workflow":"hello","inputs":{"a":{"constructor":{"prototype":{}}}}}', 'validation-failed', 422, /constructor/],
    ['{"workflow":"hello","workflow":"other"}', 'duplicate-key', 400, /workflow/],
    ['{"workflow":"hello","inputs":{"a":"\\u0000"}}', 'validation-failed', 422, /NUL|text/],
    ['{"workflow":"hello","tags":["\\ud800"]}', 'validation-failed', 422, /text/],
    ['{"workflow":"hello","inputs":{"a":1e400}}', 'validation-failed', 422, /number/i],
    ['{"workflow":"hello","inputs":{"a":12345678901234567890}}', 'validation-failed', 422, /number|integer/i],
    [`{"workflow":"hello","inputs":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`, 'validation-failed', 422, /deep/],
    [`{"workflow":"hello","inputs":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, 'validation-failed', 422, /deep/],
    ['{"workflow":"hello","priority":"5"}', 'validation-failed', 422, /"priority" must be/],
    ['{"workflow":"hello","priority":1e9}', 'validation-failed', 422, /at most/],
    ['{"workflow":"hello","version":0}', 'validation-failed', 422, /at least/],
    ['{"workflow":"hello","version":1.5}', 'validation-failed', 422, /whole number/],
    ['{"workflow":"hello","delay":"-1s"}', 'validation-failed', 422, /duration/],
    ['{"workflow":"hello","tags":["\\u0000"]}', 'validation-failed', 422, /NUL/],
    ['{"workflow":"hello","tags":[""]}', 'validation-failed', 422, /at least/],
  ])('%# %.80s is refused, told why', async (text, name, status, detail) => {
    expect(await post(text)).toMatchObject(problem(name, status, detail));
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  test('an unknown member is told what it may have been meant to be', async () => {
    const answer = await post('{"workflow":"hello","priorty":1}');
    expect(answer.body['errors']).toMatchObject([
      { pointer: '/priorty', code: 'unknown-member', hint: expect.stringContaining('priority') as string },
    ]);
  });

  test('that is no UTF-8, compressed, of another type, or of none', async () => {
    expect(await post(Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject(problem('malformed-request', 400, /UTF-8/));
    const compressed = await post('{}', { 'content-encoding': 'gzip' });
    expect(compressed).toMatchObject(problem('unsupported-media-type', 415, /compressed/));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
      const answer = await post('workflow=hello', { 'content-type': type });
      expect(answer).toMatchObject(problem('unsupported-media-type', 415, /expected application\/json/));
    }
    const plain = { payload: 'workflow: hello', headers: { 'content-type': 'text/plain' } };
    const yaml = /"text\/plain"; expected application\/json or application\/yaml/;
    expect(await app.ask('POST /v1/workflows/check', plain)).toMatchObject(
      problem('unsupported-media-type', 415, yaml),
    );
    const none = await app.ask('POST /v1/runs');
    expect(none).toMatchObject(problem('malformed-request', 400, /body is required/));
  });

  test.each([
    ['; charset=utf-16', 415],
    [';charset=latin1', 415],
    [';charset', 415],
    ['; charset=', 415],
    ['; charset="utf-16"', 415],
    ['; charset=utf-8; charset=utf-7', 415],
    ['; charset=utf-8', 404],
    ['; Charset="UTF-8"', 404],
  ])('of the type application/json%s', async (parameter, status) => {
    const answer = await post('{"workflow":"none"}', { 'content-type': `application/json${parameter}` });
    expect(answer.status).toBe(status);
    const yaml = { headers: { 'content-type': `application/yaml${parameter}` }, payload: 'steps: []' };
    expect((await app.ask('POST /v1/workflows/check', yaml)).status).toBe(status === 415 ? 415 : 200);
  });

  test('may be as large as is said, and not larger', async () => {
    const filled = (bytes: number): string => `{"workflow":"${'a'.repeat(bytes - 15)}"}`;
    expect((await post(filled(edgeLimits.bodyBytes))).status).toBe(404);
    expect(await post(filled(edgeLimits.bodyBytes + 1))).toMatchObject(problem('payload-too-large', 413));
  });
});

describe('a parameter', () => {
  test.each([
    ['status=finished', /one of/],
    ['status=running&status=done', /one of/],
    ['limit=0', /1 to 200/],
    ['limit=201', /1 to 200/],
    ['limit=5.5', /whole number/],
    ['limit=%20', /whole number/],
    ['from=yesterday', /RFC 3339/],
    ['to=2026-02-30T00:00:00Z', /RFC 3339/],
    ['trigger=magic', /one of/],
    ['workflow=%00', /the name of a workflow/],
    ['tag=%00', /NUL/],
    ['from=0000-01-01T00:00:00Z', /1970 to 9999, and is "0000-/],
    ['to=9999-12-31T23:59:59-23:59', /1970 to 9999/],
    ['from=2026-02-30T00:00:00Z', /RFC 3339/],
    ['evil=1', /"evil" is superfluous/],
    ['__proto__=1', /./],
    ['limit=1&limit=2', /text|list/],
  ])('?%s is refused, told why', async (query, detail) => {
    expect(await app.ask(`GET /v1/runs?${query}`)).toMatchObject(problem('validation-failed', 422, detail));
  });
});

describe('a key', () => {
  const refused = problem('unauthenticated', 401, /^Send a valid API key/);
  const withHeader = (authorization: string, more: Record<string, string> = {}): Promise<TestAnswer> =>
    app.ask('GET /v1/runs', { key: '', headers: { authorization, ...more }, remoteAddress: '192.0.2.7' });

  test('that is wrong in any way gets the same answer', async () => {
    const good = await app.newKey(['runs:read']);
    const expired = await app.newKey(['runs:read'], { expiresAt: Date.now() - 1 });
    const swapped = good.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());
    const other = await app.newKey(['runs:read']);
    const [id, secret] = [other.split('_')[1] ?? '', good.split('_')[2] ?? ''];
    const headers = ['Bearer', 'Bearer ', `Basic ${good}`, good, `Bearer ${good} x`, `Bearer ${expired}`];
    headers.push(`Bearer ${swapped}`, `Bearer ${good.replace(secret, id)}`, `Bearer ${'x'.repeat(40)}`);
    const answers = await Promise.all(headers.map((header) => withHeader(header)));
    answers.push(
      await app.ask('GET /v1/runs', { key: '' }),
      await app.ask(`GET /v1/runs?api_key=${good}`, { key: '' }),
    );
    const bodies = answers.map(({ body }) => ({ ...body, requestId: '' }));
    for (const [at, answer] of answers.entries()) {
      expect(answer).toMatchObject(refused);
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="baton", resource_metadata="http:\/\/[^"]+\/v1"$/,
      );
      expect(bodies[at]).toEqual(bodies[0]);
    }
    expect((await withHeader(`bearer ${good}`)).status).toBe(200);
  });

  test('opens what its scopes say, and the refusal names the one that is missing', async () => {
    const key = await app.newKey(['runs:read']);
    expect((await app.ask('GET /v1/runs', { key })).status).toBe(200);
    const answer = await app.ask('POST /v1/runs', { key, json: { workflow: 'hello' } });
    expect(answer).toMatchObject(problem('forbidden', 403, /runs:write/));
    expect(await app.ask('GET /v1/keys', { key })).toMatchObject(problem('forbidden', 403, /admin/));
    const none = await app.newKey([]);
    expect((await app.ask('GET /v1/workflows', { key: none })).status).toBe(403);
  });

  test('guessed at too often from one address is told to slow down; a good key from there is served', async () => {
    const from = { remoteAddress: '192.0.2.8' };
    const good = await app.newKey(['runs:read']);
    const statuses: number[] = [];
    for (let tries = 0; tries < 25; tries += 1) {
      statuses.push((await app.ask('GET /v1/runs', { key: `wrong-${tries}`, ...from })).status);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
    const answer = await app.ask('GET /v1/runs', { key: 'wrong', ...from });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await app.ask('GET /v1/runs', { key: good, ...from })).status).toBe(200);
    expect((await app.ask('GET /v1/runs', { key: 'wrong', remoteAddress: '192.0.2.9' })).status).toBe(401);
  });
});

describe('who a request is meant for, and which page sent it', () => {
  const asked = (headers: Record<string, string>): Promise<TestAnswer> => app.ask('GET /v1/runs', { headers });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'a@b', 'evil.example:4400'])(
    'a request for host %j is refused, and for a stream too',
    async (host) => {
      expect(await asked({ host })).toMatchObject(problem('host-refused', 403));
      expect(await asked({ host, accept: 'text/event-stream' })).toMatchObject(problem('host-refused', 403));
      expect((await app.ask('GET /healthz', { headers: { host } })).status).toBe(403);
    },
  );

  test.each(['localhost', 'LOCALHOST:4400', '127.0.0.1:1', '[::1]:4400', '192.0.2.1'])(
    'a request for host %j is served',
    async (host) => {
      expect((await asked({ host })).status).toBe(200);
    },
  );

  test('pages of others are refused, ours and those of this machine are not', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'rubbish']) {
      expect(await asked({ origin })).toMatchObject(problem('origin-refused', 403));
    }
    expect(await asked({ 'sec-fetch-site': 'cross-site' })).toMatchObject(problem('origin-refused', 403));
    expect((await asked({ origin: 'http://localhost:5173' })).status).toBe(200);
    expect((await asked({ origin: 'http://127.0.0.1' })).status).toBe(200);
    expect((await asked({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});

/** The built-in server `http`, against a real HTTP server that says what it was sent and answers as its path asks. */
import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { JsonObject } from '@baton/primitives';
import { readServers } from '@baton/protocol';
import { beforeEach, describe, expect, test } from 'vitest';

import type { LookUpAll } from '../http/addresses.ts';
import { listening } from '../testing/testHttp.ts';
import { trial, type TestServers } from '../testing/testServers.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let seen: Seen[];
let base: string;
let other: string;
let servers: TestServers;
/** A name that is listed, and that leads to this machine. */
const inward = 'inward.example';
const toInward = (url: string): string => url.replace('127.0.0.1', inward);

const answers: Readonly<Record<string, (response: ServerResponse, url: URL) => void>> = {
  '/json': (response) =>
    response.setHeader('content-type', 'application/json').end('{"id":9007199254740993,"tags":["a"]}'),
  '/order': (response) => response.setHeader('content-type', 'application/json').end('{"id":7,"tags":["a"]}'),
  '/marked': (response) => response.setHeader('content-type', 'application/json').end('\uFEFF{"a":1}'),
  '/text': (response) => response.end('hello'),
  '/large': (response) => response.end('x'.repeat(16 * 1024 * 1024 + 1)),
  '/utf16': (response) =>
    response.setHeader('content-type', 'text/plain; charset="utf-16le"').end(Buffer.from('Zoë', 'utf16le')),
  '/latin1': (response) =>
    response.setHeader('content-type', 'application/json; charset=ISO-8859-1').end(Buffer.from('{"a":"ë"}', 'latin1')),
  '/unknown': (response) => response.setHeader('content-type', 'text/plain; charset=martian').end('ë'),
  '/none': (response) => response.writeHead(204).end(),
  '/picture': (response) => response.end(Buffer.from([0xff, 0xd8, 0xff])),
  '/status': (response, url) => response.writeHead(Number(url.searchParams.get('is'))).end('{"message":"not so"}'),
  '/cookies': (response) => response.setHeader('set-cookie', ['a=1', 'b=2']).end(),
  '/hinted': (response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.end('hello');
  },
  '/later': (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
  '/cut': (response) => response.socket?.destroy(),
  '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
  '/silent': () => undefined,
  '/moved': (response, url) =>
    response.writeHead(Number(url.searchParams.get('by')), { location: url.searchParams.get('to') ?? '/json' }).end(),
};

async function echoing(): Promise<string> {
  return listening((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const at = new URL(url ?? '/', 'http://here');
      const answer = answers[at.pathname];
      if (answer === undefined) response.writeHead(404).end();
      else answer(response, at);
    });
  });
}

beforeEach(async () => {
  seen = [];
  [base, other] = await Promise.all([echoing(), echoing()]);
  const hosts = [
    new URL(base).host,
    new URL(other).host,
    'listed.invalid',
    '*.listed.invalid',
    new URL(toInward(base)).host,
  ];
  const lookup: LookUpAll = (name, options, callback) =>
    name === inward ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : systemLookup(name, options, callback);
  servers = trial({ http: { type: 'builtin', baton: { hosts } } }, { lookup });
});

const outputOf = async (tool: string, args: JsonObject): Promise<unknown> =>
  (await servers.call('http', tool, args)).result['structuredContent'];

describe('the built-in server http', () => {
  test('offers a tool for each method, whose effect says what the method does', async () => {
    const { tools } = await servers.catalogue('http');
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.idempotentHint]),
    ).toEqual([
      ['get', true, true],
      ['head', true, true],
      ['post', false, false],
      ['patch', false, false],
      ['put', false, true],
      ['delete', false, true],
    ]);
  });

  test('sends the query, the headers and a JSON body, and reads a JSON answer exactly', async () => {
    const call = { url: `${base}/json?a=1`, query: { b: ['x', 2], c: true }, headers: { authorization: 'Bearer t' } };
    expect(await outputOf('post', { ...call, json: { n: 1 }, idempotencyKey: 'k' })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { tags: ['a'] },
    });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/json?a=1&b=x&b=2&c=true',
        headers: { authorization: 'Bearer t', 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: '{"n":1}',
      },
    ]);
  });

  test('An answer that fits the schema in "output" is taken, with what the schema does not list.', async () => {
    const output = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } };
    expect(await outputOf('get', { url: `${base}/order`, output })).toMatchObject({ body: { tags: ['a'] } });
    const shorthand = { id: { type: 'integer' } };
    expect(await outputOf('get', { url: `${base}/order`, output: shorthand })).toMatchObject({ status: 200 });
  });

  test.each([
    ['/order', { id: { type: 'string' } }, '"body" does not fit the schema in the argument "output" at /id'],
    ['/none', { type: 'object' }, 'here is nothing.'],
    ['/text', { type: 'object' }, 'here is a text.'],
  ])(
    'The answer of %s, which does not fit %o, is a wrong answer of a request that was made.',
    async (path, output, why) => {
      const { failure, delivery } = await servers.failure('http', 'post', { url: `${base}${path}`, output });
      expect([failure.code, delivery, failure.message]).toEqual([
        'invalid-result',
        'answered',
        expect.stringContaining(why),
      ]);
      expect(seen).toHaveLength(1);
    },
  );

  test.each([{ type: 'objekt' }, { $ref: 'https://example.com/a.json' }])(
    'A schema in "output" that is none, %o, is refused before anything is sent.',
    async (output) => {
      const { failure, delivery } = await servers.failure('http', 'post', { url: `${base}/json`, output });
      expect([failure.code, delivery]).toEqual(['invalid-arguments', 'unsent']);
      expect(seen).toEqual([]);
    },
  );

  test('A status that is not expected fails the call as that, also beside an "output".', async () => {
    const { failure } = await servers.failure('http', 'get', {
      url: `${base}/status?is=404`,
      output: { type: 'array' },
    });
    expect(failure.code).toBe('tool-failed');
  });

  test('gives any other answer as text, and null where there is none', async () => {
    expect(await outputOf('get', { url: `${base}/text` })).toMatchObject({ body: 'hello' });
    expect(await outputOf('get', { url: `${base}/marked` })).toMatchObject({ body: { a: 1 } });
    expect(await outputOf('delete', { url: `${base}/none` })).toMatchObject({ status: 204, body: null });
  });

  test('An answer is read in the charset that it names.', async () => {
    expect(await outputOf('get', { url: `${base}/utf16` })).toMatchObject({ body: 'Zoë' });
    expect(await outputOf('get', { url: `${base}/latin1` })).toMatchObject({ body: { a: 'ë' } });
    expect(await outputOf('get', { url: `${base}/unknown` })).toMatchObject({ body: 'ë' });
  });

  test('An idempotency key that no header can hold is refused before anything is sent.', async () => {
    const { failure } = await servers.failure('http', 'post', { url: `${base}/json`, idempotencyKey: 'a\nb' });
    expect([failure.code, failure.message]).toEqual([
      'invalid-arguments',
      expect.stringContaining('"idempotencyKey" cannot be sent'),
    ]);
    expect(seen).toEqual([]);
  });

  test('an answer above 16 MiB ends the call, which was made', async () => {
    const { failure, delivery } = await servers.failure('http', 'get', { url: `${base}/large` });
    expect([failure.code, delivery]).toEqual(['result-too-large', 'answered']);
  });

  test('an answer that is no text ends the call, which was made', async () => {
    const { failure, delivery } = await servers.failure('http', 'get', { url: `${base}/picture` });
    expect([failure.code, delivery]).toEqual(['invalid-result', 'answered']);
  });

  test.each([404, 409, 401, 300])(
    'a status %i that nothing expects is a failure of the tool, in the words of the answer',
    async (is) => {
      const { failure } = await servers.failure('http', 'post', { url: `${base}/status`, query: { is } });
      expect([failure.code, failure.message]).toEqual([
        'tool-failed',
        expect.stringContaining(`POST at ${new URL(base).host} was answered ${is}: not so`),
      ]);
    },
  );

  test('a status that is expected is an answer', async () => {
    expect(await outputOf('get', { url: `${base}/status?is=404`, expect: [200, 404] })).toMatchObject({ status: 404 });
    expect(await outputOf('get', { url: `${base}/status?is=500`, expect: [500] })).toMatchObject({ status: 500 });
  });

  test.each([
    ['/status?is=500', 'server-error', 'unknown'],
    ['/status?is=502', 'server-error', 'unknown'],
    ['/cut', 'connection-lost', 'unknown'],
    ['/later', 'server-overloaded', 'rejected'],
  ])('after %s it says how far the request got: %s, %s', async (path, code, sent) => {
    const { failure, delivery } = await servers.failure('http', 'post', { url: `${base}${path}` });
    expect([failure.code, delivery]).toEqual([code, sent]);
  });

  test('a listed name that leads to this machine is not connected to', async () => {
    const url = toInward(base);
    const { delivery } = await servers.failure('http', 'post', { url });
    expect(delivery).toBe('unsent');
    expect(seen).toEqual([]);
  });

  test('a host that does not answer to its name was sent nothing', async () => {
    const { delivery } = await servers.failure('http', 'post', { url: 'http://listed.invalid/' });
    expect(delivery).toBe('unsent');
  });

  test.each([
    ['http://evil.example/', {}, 'may not call the host of'],
    ['file:///etc/passwd', {}, 'neither http: nor https:'],
    ['/relative', {}, 'no absolute address'],
    ['BASE/json', { json: 1, body: 'x' }, 'only one can be sent'],
    ['BASE/json', { headers: { Host: 'x' } }, 'is set by Baton'],
    ['BASE/json', { headers: { 'Keep-Alive': '1' } }, 'is set by Baton'],
    ['BASE/json', { headers: { x: 'a\r\nb: c' } }, 'cannot be sent'],
    ['http://a:b@HOST/json', {}, 'must not hold credentials'],
  ])('refuses %s with %o, and sends nothing', async (text, more, words) => {
    const url = text.replace('BASE', base).replace('HOST', new URL(base).host);
    const { failure, delivery } = await servers.failure('http', 'post', { url, ...more });
    expect(failure.message).toContain(words);
    expect(delivery).toBe('rejected');
    expect(seen).toEqual([]);
  });

  test('An argument that there is not is refused, and nothing is sent.', async () => {
    const { failure, delivery } = await servers.failure('http', 'post', { url: `${base}/json`, jsn: 1 });
    expect([failure.code, failure.message, delivery]).toEqual([
      'invalid-arguments',
      expect.stringContaining('jsn'),
      'unsent',
    ]);
    expect(seen).toEqual([]);
  });

  test('follows redirects among its hosts, and takes no credentials to another origin', async () => {
    const moved = { by: 302, to: `${other}/json` };
    await outputOf('get', {
      url: `${base}/moved`,
      query: moved,
      headers: { authorization: 'Bearer t', accept: 'a/b' },
    });
    expect(seen[1]).toMatchObject({ method: 'GET', url: '/json', headers: { accept: 'a/b' } });
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });

  test('a POST that was carried out is followed by a GET, and one that was not by the same POST', async () => {
    await outputOf('post', { url: `${base}/moved?by=303`, body: 'once' });
    await outputOf('post', { url: `${base}/moved?by=307`, body: 'again' });
    expect(seen.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'POST once',
      'GET ',
      'POST again',
      'POST again',
    ]);
  });

  test.each(['/later', '/status?is=404', '/cut', 'http://evil.example/'])(
    'a POST that was carried out happens once and its failure says so, where it leads to %s',
    async (to) => {
      const { failure, delivery } = await servers.failure('http', 'post', {
        url: `${base}/moved`,
        query: { by: 303, to },
      });
      expect([delivery, failure.message]).toEqual(['answered', expect.stringContaining('it was carried out')]);
      expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  test.each([
    ['post', 302],
    ['put', 301],
    ['delete', 302],
    ['patch', 301],
  ])('a %s that is answered %i is neither followed by a GET nor said to have happened', async (tool, by) => {
    const { failure, delivery } = await servers.failure('http', tool, { url: `${base}/moved?by=${by}` });
    expect([failure.code, delivery, new Set(seen.map(({ url }) => url))]).toEqual([
      'invalid-result',
      'unknown',
      new Set([`/moved?by=${by}`]),
    ]);
  });

  test('a redirect that is expected is an answer', async () => {
    expect(await outputOf('get', { url: `${base}/moved?by=302`, expect: [302] })).toMatchObject({ status: 302 });
  });

  test('an interim answer is not the answer, and cookies are joined', async () => {
    expect(await outputOf('get', { url: `${base}/hinted` })).toMatchObject({ status: 200, body: 'hello' });
    expect(await outputOf('get', { url: `${base}/cookies` })).toMatchObject({ headers: { 'set-cookie': 'a=1, b=2' } });
  });

  test.each([
    ['https://SeCret.evil.example/'],
    ['https://SeCret.listed.invalid/'],
    [`${'a'.repeat(165)}SeCret`],
    ['SeCret:x'],
  ])('no message has a part of the address %s, in any spelling', async (url) => {
    const { failure } = await servers.failure('http', 'post', { url });
    expect(JSON.stringify(failure)).not.toMatch(/secret/i);
  });

  test.each([
    ['to a host that is not listed', 'get', { by: 302, to: 'http://evil.example/' }],
    ['of a POST with its body to another origin', 'post', { by: 307, to: 'OTHER/json' }],
    ['without an end', 'get', { by: 302, to: '/round' }],
  ])('does not follow a redirect %s', async (_, tool, { by, to }) => {
    const query = { by, to: to.replace('OTHER', other) };
    const { failure } = await servers.failure('http', tool, { url: `${base}/moved`, query });
    expect(failure.message).toMatch(/redirect/);
    expect(seen.filter(({ url }) => url === '/json')).toEqual([]);
  });

  test('a call that is cancelled ends its request', async () => {
    const cancelling = new AbortController();
    const call = servers.failure('http', 'get', { url: `${base}/silent` }, { signal: cancelling.signal });
    await expect.poll(() => seen.length).toBe(1);
    cancelling.abort();
    await call.catch(() => undefined);
  });
});

describe('mcp.json of the built-in server http', () => {
  const findingsOf = (entry: object): string[] =>
    readServers(JSON.stringify({ mcpServers: { http: entry } })).findings.map(
      ({ path, message }) => `${path} ${message}`,
    );

  test.each([
    [{ type: 'builtin' }, '"hosts" is missing'],
    [{ type: 'builtin', baton: { hosts: ['https://api.example.com/v1'] } }, '/hosts/0'],
    [{ type: 'builtin', builtin: 'htp', baton: { hosts: ['a.b'] } }, '/builtin'],
    [{ command: 'node', baton: { hosts: ['a.b'] } }, 'Only a server of "type": "builtin" has "hosts".'],
  ])('says what is wrong with %o', (entry, words) => expect(findingsOf(entry).join('\n')).toContain(words));
});

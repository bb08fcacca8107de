/** One reading of what servers write: an answer means the same over every transport, in every wrapping. */
import type { ServerResponse } from 'node:http';
import * as zlib from 'node:zlib';

import type { JsonObject } from '@baton/primitives';
import { toolsServer } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc } from '../testing/testHttp.ts';
import { newLedger, textOf, trial } from '../testing/testServers.ts';

type Answering = (response: ServerResponse, text: string) => void;

const withHeaders =
  (status: number, headers: Readonly<Record<string, string>>): Answering =>
  (response, text) =>
    void response.writeHead(status, headers).end(text);
const asJson = withHeaders(200, { 'content-type': 'application/json' });
const events = { 'content-type': 'text/event-stream' };

/** Answers a call of the tool `print` with its argument `output`, in which `ID` is the id of the call. */
async function printing(answerCall: Answering = asJson): Promise<string> {
  let stream: ServerResponse | undefined;
  const base = await listening((request, response) => {
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, events);
      stream.write('event: endpoint\ndata: /messages\n\n');
    } else if (request.method !== 'POST') response.writeHead(405).end();
    else {
      void messageOf(request).then(({ id, method, params }) => {
        const isSse = request.url === '/messages';
        if (isSse) response.writeHead(202).end();
        const say = (text: string): void =>
          isSse ? void stream?.write(`data: ${text.split('\n').join('\ndata: ')}\n\n`) : answerCall(response, text);
        if (method === 'initialize' && isSse) say(JSON.stringify(rpc(id, introduction('2025-11-25'))));
        else if (method === 'initialize') json(response, rpc(id, introduction('2025-11-25')));
        else if (method === 'tools/call') {
          say(outputOf(params).replaceAll('ID', String(id)));
        } else if (isSse) say(id === undefined ? '' : JSON.stringify(rpc(id, {})));
        else if (id === undefined) response.writeHead(202).end();
        else if (method === 'server/discover') response.writeHead(404).end();
        else json(response, rpc(id, {}));
      });
    }
  });
  return base;
}

const outputOf = (params: JsonObject | undefined): string => {
  const { output } = (params?.['arguments'] ?? {}) as { readonly output?: string };
  return output ?? '';
};

const result = '{"content":[{"type":"text","text":"fine"}]}';
const good = `{"jsonrpc":"2.0","id":ID,"result":${result}}`;
const notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';

const entryFor = async (type: string): Promise<object> => {
  const base = type === 'stdio' ? '' : await printing();
  return type === 'stdio' ? toolsServer(newLedger()) : { type, url: `${base}/${type === 'sse' ? 'sse' : 'mcp'}` };
};
const calling = (output: string, type: string) => ({ output: type === 'stdio' ? `${output}\n` : output });

describe.each(['stdio', 'http', 'http-plain', 'sse'])('over %s, an answer', (type) => {
  test('is read, however a server writes it', async () => {
    const { call } = trial({ it: await entryFor(type) });
    const ways = [
      good,
      `\u{FEFF}${good}`,
      `{"jsonrpc":"2.0","id":"ID","result":${result}}`,
      `{"jsonrpc":"2.0","id":ID,"result":${result},"error":null}`,
      `{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"fine","annotations":null,"_meta":[]}],"structuredContent":null,"isError":null,"_meta":null}}`,
      `{"id":ID,"result":${result}}`,
      `${good}${notice}`,
      `${notice} ${good}`,
      `done: ${good}`,
      `[${notice},${good}]`,
    ];
    for (const way of ways) expect(textOf(await call('it', 'print', calling(way, type)))).toBe('fine');
  });

  test.each([
    [
      'an error beside a null',
      '{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":-32602,"message":"the words"}}',
      'invalid-arguments',
      'rejected',
    ],
    [
      'an error without an id',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the words"}}',
      'server-rejected',
      'rejected',
    ],
    ['an error that is a text', '{"jsonrpc":"2.0","id":ID,"error":"the words"}', 'server-error', 'answered'],
    [
      'an error with its words in its data',
      '{"jsonrpc":"2.0","id":ID,"error":{"code":"-32000","data":{"detail":"the words"}}}',
      'server-error',
      'answered',
    ],
    [
      'a number that JSON does not know',
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"mean":NaN}}}',
      'invalid-result',
      /answered|unknown/,
    ],
    [
      'a bare control character',
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\tb"}]}}',
      'invalid-result',
      /answered|unknown/,
    ],
    [
      'a bare line end',
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\nb"}]}}',
      'invalid-result',
      /answered|unknown/,
    ],
    ['neither result nor error', '{"jsonrpc":"2.0","id":ID}', 'invalid-result', 'unknown'],
    ['a result that is null', '{"jsonrpc":"2.0","id":ID,"result":null}', 'invalid-result', 'unknown'],
  ])('with %s fails its call at once, in the words of the server', async (_, output, code, delivery) => {
    const { call, failure } = trial({ it: await entryFor(type) });
    await call('it', 'print', calling(good, type));
    const timeout = { idleMs: 600_000, totalMs: 600_000 };
    const failed = await failure('it', 'print', calling(output, type), { timeout });
    expect(failed).toMatchObject({ code, delivery: expect.stringMatching(delivery) as string });
    expect(failed.message.includes('the words')).toBe(output.includes('the words'));
    expect(textOf(await call('it', 'print', calling(good, type)))).toBe('fine');
  });
});

describe.each(['http', 'http-plain'])('over %s, a body', (type) => {
  const through = async (answer: Answering) => trial({ it: { type, url: `${await printing(answer)}/mcp` } });

  test.each<[string, Answering]>([
    ...[
      'text/plain',
      'application/vnd.api+json',
      'application/octet-stream',
      'text/html',
      'application/json, application/json',
      'APPLICATION/JSON;charset=utf-8',
      '',
    ].map(
      (mediaType) =>
        [`with the type "${mediaType}"`, withHeaders(200, mediaType === '' ? {} : { 'content-type': mediaType })] as [
          string,
          Answering,
        ],
    ),
    ...[201, 400, 404, 422, 500].map((status) => [`with ${status}`, withHeaders(status, {})] as [string, Answering]),
    [
      'as an event with a name',
      (response, text) => void response.writeHead(200, events).end(`event: result\nid: 7\ndata: ${text}\n\n`),
    ],
    ['as an event without its end', (response, text) => void response.writeHead(200, events).end(`data: ${text}\n`)],
    ['as an event with CRs', (response, text) => void response.writeHead(200, events).end(`data: ${text}\r\r`)],
    [
      'as an event with CRs, in a stream that stays open',
      (response, text) => void response.writeHead(200, events).write(`data: ${text}\r\r`),
    ],
    ['as an event with another type', withEvent('text/plain')],
    ['as an event with the type in capitals', withEvent('Text/Event-Stream; charset=UTF-8')],
    ['as JSON with the type of events', withHeaders(200, events)],
  ])('%s is read', async (_, answer) => {
    const { call } = await through(answer);
    expect(textOf(await call('it', 'print', { output: good }))).toBe('fine');
  });

  test.each<[string, (bytes: string) => Uint8Array]>([
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['gzip, br', (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
  ])('that is compressed, though no request asks for it, is read: %s', async (coding, encode) => {
    for (const [mediaType, wrapped] of [
      ['application/json', (text: string) => text],
      ['text/event-stream', (text: string) => `data: ${text}\n\n`],
    ] as const) {
      const { call } = await through((response, text) => {
        response.writeHead(200, { 'content-type': mediaType, 'content-encoding': coding });
        response.end(encode(wrapped(text)));
      });
      expect(textOf(await call('it', 'print', { output: good }))).toBe('fine');
    }
  });

  test('that is compressed is not read beyond the limit', async () => {
    const { failure } = await through((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(zlib.gzipSync(Buffer.alloc(64e6, ' ')));
    });
    expect(await failure('it', 'print', { output: '' })).toMatchObject({
      code: 'result-too-large',
      delivery: 'answered',
    });
  });

  test('with a coding that Baton does not know, or that is not there, is refused by the name of the header', async () => {
    for (const coding of ['compress', 'gzip']) {
      const { failure } = await through(withHeaders(200, { 'content-encoding': coding }));
      const failed = await failure('it', 'print', { output: good });
      expect(failed).toMatchObject({ code: 'invalid-result', delivery: 'unknown' });
      expect(failed.message).toContain(`"content-encoding: ${coding}"`);
    }
  });

  test.each<[string, Answering, string]>([
    ['202', withHeaders(202, {}), '202'],
    ['204', withHeaders(204, {}), '204'],
    ['a stream that ends', (response) => void response.writeHead(200, events).end(), 'ended without'],
    [
      'a stream of other events',
      (response) => void response.writeHead(200, events).end(event({ hello: 1 })),
      'ended without',
    ],
  ])('that is no answer ends its call at once: %s', async (_, answer, words) => {
    const { failure } = await through((response) => answer(response, ''));
    const failed = await failure('it', 'print', { output: '' }, { timeout: { idleMs: 600_000 } });
    expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    expect(failed.message).toContain(words);
  });
});

function withEvent(mediaType: string): Answering {
  return (response, text) => void response.writeHead(200, { 'content-type': mediaType }).end(`data: ${text}\n\n`);
}

test('a process that does not end its lines is understood', async () => {
  const { call } = trial({ it: toolsServer(newLedger()) });
  expect(textOf(await call('it', 'print', { output: good }))).toBe('fine');
});

test('a server whose sessions hang on a cookie of its balancer gets it back', async () => {
  const cookies: unknown[] = [];
  const url = await listening((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then(({ id, method }) => {
      cookies.push(request.headers.cookie);
      response.setHeader('set-cookie', 'node=1; Path=/');
      if (id === undefined) response.writeHead(202).end();
      else json(response, rpc(id, method === 'initialize' ? introduction('2025-11-25') : JSON.parse(result)));
    });
  });
  const { call } = trial({ it: { url, baton: { protocol: 'legacy' } } });
  await call('it', 'x');
  expect(cookies).toEqual([undefined, 'node=1', 'node=1']);
});

describe('the stream for what a server sends by itself', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['a page without end', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>')],
    ['nothing', (response) => void response.writeHead(204).end()],
    ...[400, 401, 403, 404, 405, 406, 500, 501].map(
      (status) =>
        [String(status), (response) => void response.writeHead(status).end()] as [
          string,
          (response: ServerResponse) => void,
        ],
    ),
  ])('is asked for once where it is answered with %s', async (_, answer) => {
    let asked = 0;
    const base = await listening((request, response) => {
      if (request.method === 'GET') {
        asked += 1;
        return answer(response);
      }
      if (request.method === 'DELETE') return void response.end();
      void messageOf(request).then(({ id, method }) => {
        if (method === 'server/discover') response.writeHead(404).end();
        else if (id === undefined) response.writeHead(202).end();
        else json(response, rpc(id, method === 'initialize' ? introduction('2025-11-25') : JSON.parse(result)));
      });
    });
    const { call } = trial({ it: { url: `${base}/mcp` } });
    await call('it', 'x');
    await expect.poll(() => asked).toBe(1);
    for (let at = 0; at < 20; at++) await call('it', 'x');
    expect(asked).toBe(1);
  });
});

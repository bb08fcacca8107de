/** Numbers that JavaScript cannot hold come as texts, digit for digit, over every transport. */
import { expect, test } from 'vitest';

import { introduction, listening, messageOf, type Message } from '../testing/testHttp.ts';
import { trial } from '../testing/testServers.ts';

const result = '{"content":[],"structuredContent":{"id":1152921504606846977,"rate":1e400,"price":0.30000000000000004}}';

/** As no `JSON.stringify` would write it. */
function answerTo({ id, method }: Message): string {
  if (method === 'initialize')
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(introduction('2025-06-18'))}}`;
  return `{"jsonrpc":"2.0","id":${id},"result":${method === 'tools/call' ? result : '{"tools":[]}'}}`;
}

const overHttp = (asEvents: boolean) =>
  listening((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then((message) => {
      if (message.id === undefined) return response.writeHead(202).end();
      if (message.method === 'server/discover') return response.writeHead(400).end();
      response.writeHead(200, { 'content-type': asEvents ? 'text/event-stream' : 'application/json' });
      if (!asEvents) return response.end(answerTo(message));
      // Cut in two in the middle of the number.
      const event = `event: message\ndata: ${answerTo(message)}\n\n`;
      const at = event.includes('115292') ? event.indexOf('115292') + 10 : 12;
      response.write(event.slice(0, at));
      return setImmediate(() => response.end(event.slice(at)));
    });
  });

const program = `
  const introduction = ${JSON.stringify(introduction('2025-06-18'))};
  const result = ${JSON.stringify(result)};
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const answer = method === 'initialize' ? JSON.stringify(introduction) : method === 'tools/call' ? result : '{}';
    if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + id + ',"result":' + answer + '}');
  });`;

test.each([
  ['stdio', async () => ({ command: process.execPath, args: ['-e', program.replaceAll('\n', ' ')] })],
  ['http, as one body', async () => ({ type: 'http', url: await overHttp(false) })],
  ['http, as events', async () => ({ type: 'http', url: await overHttp(true) })],
  ['http-plain', async () => ({ type: 'http-plain', url: await overHttp(false) })],
])('over %s', async (_, entry) => {
  const { call } = trial({ it: await entry() });
  expect((await call('it', 'find')).result['structuredContent']).toEqual({
    id: '1152921504606846977',
    rate: '1e400',
    price: 0.30000000000000004,
  });
});

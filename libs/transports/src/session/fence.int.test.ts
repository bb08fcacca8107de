/**
 * Over a process and over HTTP: what a worker may not do any more is not sent, and what is told belongs to its call.
 */
import type { JsonObject } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import {
  event,
  introduction,
  json,
  listening,
  messageOf,
  rpc,
  text,
  toolOf,
  type Message,
} from '../testing/testHttp.ts';
import { trial } from '../testing/testServers.ts';

/** Answers calls when all that it waits for are there, the last one first; tells of each before, by its own token. */
const talking = (all: number) => {
  const waiting: Message[] = [];
  const called: string[] = [];
  const note = (progressToken: unknown, message: unknown): JsonObject =>
    ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: 1, message },
    }) as JsonObject;
  const answers = (message: Message): readonly { readonly to: Message; readonly messages: JsonObject[] }[] => {
    called.push(toolOf(message.params));
    waiting.push(message);
    if (waiting.length < all) return [];
    return waiting
      .splice(0)
      .toReversed()
      .map((to) => {
        const token = (to.params?.['_meta'] as JsonObject | undefined)?.['progressToken'];
        const name = toolOf(to.params);
        return { to, messages: [note(token, `of ${name}`), rpc(to.id, text(name))] };
      });
  };
  return { answers, called };
};

async function httpServer(all: number) {
  const { answers, called } = talking(all);
  const open = new Map<unknown, (messages: JsonObject[]) => void>();
  const url = await listening((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then((message) => {
      const { id, method } = message;
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'server/discover') return response.writeHead(400).end();
      if (method !== 'tools/call') return json(response, rpc(id, introduction('2025-06-18')));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      open.set(id, (messages) => response.end(messages.map((one) => event(one)).join('')));
      for (const { to, messages } of answers(message)) open.get(to.id)?.(messages);
      return undefined;
    });
  });
  return { entry: { url }, called };
}

/** One process for all: the progress of both comes on one stream, and only the token tells whose it is. */
const program = `
  const waiting = [];
  const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const name = params?.name;
    if (method === 'initialize') say({ id, result: ${JSON.stringify(introduction('2025-06-18'))} });
    else if (method !== 'tools/call') return id === undefined ? undefined : say({ id, result: {} });
    else if (name === 'called') say({ id, result: { content: [{ type: 'text', text: String(waiting.length) }] } });
    else waiting.push({ id, name, token: params._meta.progressToken });
    if (waiting.length < 2) return;
    for (const { id, name, token } of waiting.splice(0).reverse()) {
      say({ method: 'notifications/progress', params: { progressToken: token, progress: 1, message: 'of ' + name } });
      say({ id, result: { content: [{ type: 'text', text: name }] } });
    }
  });`;
const stdio = { command: process.execPath, args: ['-e', program.replaceAll('\n', ' ')] };

describe('progress of calls that are under way together goes to its own call', () => {
  test.each([
    ['stdio', async () => stdio],
    ['http', async () => (await httpServer(2)).entry],
  ])('over %s', async (_, entry) => {
    const { call } = trial({ it: await entry() });
    const heard: [string, string | undefined][] = [];
    const telling = (name: string) => ({
      onProgress: ({ message }: { message?: string }) => void heard.push([name, message]),
    });
    await Promise.all([call('it', 'first', {}, telling('first')), call('it', 'second', {}, telling('second'))]);
    expect(heard.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
      ['first', 'of first'],
      ['second', 'of second'],
    ]);
  });
});

describe('a worker that may not act any more sends nothing', () => {
  const refused = { code: 'worker-lost', delivery: 'unsent' };

  test('over stdio', async () => {
    const { failure, call } = trial({ it: stdio });
    expect(await failure('it', 'write', {}, { beginSend: () => false })).toMatchObject(refused);
    expect((await call('it', 'called')).result).toMatchObject(text('0'));
  });

  test('over http', async () => {
    const { entry, called } = await httpServer(1);
    const { failure, call } = trial({ it: entry });
    await call('it', 'before');
    expect(await failure('it', 'write', {}, { beginSend: () => false })).toMatchObject(refused);
    expect(called).toEqual(['before']);
  });
});

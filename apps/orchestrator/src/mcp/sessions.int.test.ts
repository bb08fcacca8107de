/** Sessions of clients of 2025 at two orchestrators between which a balancer spreads every message. */
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { type Principal, TextSeal } from '@baton/control';
import { systemClock } from '@baton/runner';
import { MemoryBus } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';

import { asProblem } from '../http/asProblem.ts';
import { type SessionsOptions, McpSessions } from './sessions.ts';

const bus = new MemoryBus();
const seal = new TextSeal([randomBytes(32)]);
/** A client names its key in a header. */
const principalOf = ({ headers: { authorization: id = 'key-1' } }: IncomingMessage) => ({ id, by: id }) as Principal;

/** Asks its client a question in each call, and notes the calls that were cancelled. */
function askingServer(place: number, cancelled: number[]): Server {
  const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async (_, { mcpReq }) => {
    mcpReq.signal.addEventListener('abort', () => cancelled.push(place));
    const requestedSchema = { type: 'object', properties: { place: { type: 'string' } } } as const;
    const params = { mode: 'form', message: `place ${place}`, requestedSchema } as const;
    const answer = await mcpReq.send({ method: 'elicitation/create', params });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  return server;
}

async function openOrchestrator(
  place: number,
  cancelled: number[],
  more: Pick<SessionsOptions, 'limits'> = {},
): Promise<string> {
  const create = (): Server => askingServer(place, cancelled);
  const sessions = new McpSessions({ clock: systemClock, channels: bus, seal, create, ...more });
  const server = createServer((request, response) => {
    void (request.method === 'POST' ? json(request) : Promise.resolve(undefined))
      .then((body) =>
        sessions.handle(
          Object.assign(request, { method: request.method ?? '', url: '/' }),
          response,
          body,
          principalOf(request),
        ),
      )
      .catch((error: unknown) => response.writeHead(asProblem(error).status).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    await sessions.close();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Sent {
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly place?: number } };
  readonly result?: { readonly content?: { readonly place?: string } };
}

/** Calls go where their argument says; answers and cancels to the other one. */
async function openClient(onAsked: (message: string) => Promise<string>) {
  const cancelled: number[] = [];
  const urls = [await openOrchestrator(0, cancelled), await openOrchestrator(1, cancelled)];
  const balanced: typeof fetch = (_, options) => {
    const sent = (typeof options?.body === 'string' ? JSON.parse(options.body) : {}) as Sent;
    const asked = sent.result?.content?.place;
    const isCancel = sent.method === 'notifications/cancelled';
    const place = isCancel ? 1 : (sent.params?.arguments?.place ?? (asked === 'place 0' ? 1 : 0));
    return fetch(urls[place] ?? '', options);
  };
  const client = new Client({ name: 'agent', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept' as const,
    content: { place: await onAsked(params.message) },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://balancer/'), { fetch: balanced }));
  onTestFinished(() => client.close());
  return { client, cancelled };
}

test('The answer of a client that comes to another orchestrator reaches its own question, beside another question', async () => {
  const bothAsked = Promise.withResolvers<void>();
  const asked = new Set<string>();
  const { client } = await openClient(async (message) => {
    asked.add(message);
    if (asked.size === 2) bothAsked.resolve();
    await bothAsked.promise;
    return message;
  });
  const call = async (place: number) => JSON.stringify(await client.callTool({ name: 'ask', arguments: { place } }));
  const answers = await Promise.all([call(0), call(1)]);
  expect(answers.map((answer) => /place [01]/.exec(answer)?.[0])).toEqual(['place 0', 'place 1']);
});

test('A cancel that comes to another orchestrator ends the call', async () => {
  const isAsked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  const { client, cancelled } = await openClient(async () => {
    isAsked.resolve();
    return answered.promise;
  });
  const controller = new AbortController();
  const call = client.callTool({ name: 'ask', arguments: { place: 0 } }, { signal: controller.signal });
  const ended = call.then(
    () => 'answered',
    () => 'cancelled',
  );
  await isAsked.promise;
  controller.abort();
  expect(await ended).toBe('cancelled');
  await expect.poll(() => cancelled).toEqual([0]);
  answered.resolve('late');
});

const revision = '2025-11-25';

/** A client by hand, with a session of its own. Undefined: it was refused for now. */
async function openByHand(url: string, authorization: string) {
  const send = (message: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = {
    protocolVersion: revision,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'c', version: '1' },
  };
  const opened = await send({ id: 1, method: 'initialize', params });
  await opened.text();
  if (opened.status === 503) return undefined;
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision };
  return {
    /** Resolves when the call has begun, and asks. */
    call: async () => {
      const called = await send({ id: 2, method: 'tools/call', params: { name: 'ask', arguments: {} } }, session);
      await called.body?.getReader().read();
    },
    ping: async () => (await send({ id: 3, method: 'ping' }, session)).status,
  };
}

test('Where too many sessions are open, the one that was used least recently and is not in use makes room, and can go on', async () => {
  const cancelled: number[] = [];
  const url = await openOrchestrator(0, cancelled, { limits: { all: 3, ofKey: 2 } });
  const busy = await openByHand(url, 'key-1');
  await busy?.call();
  const unused = await openByHand(url, 'key-2');
  for (const key of ['key-3', 'key-4']) expect(await openByHand(url, key)).toBeDefined();
  expect(await unused?.ping()).toBe(200);
  // Of one key the second makes room for the third, and not the first, which is in use.
  for (let count = 0; count < 2; count += 1) expect(await openByHand(url, 'key-1')).toBeDefined();
  expect(cancelled).toEqual([]);
});

test('Where each of too many sessions is in use, another one is refused for now, and none is ended', async () => {
  const cancelled: number[] = [];
  const url = await openOrchestrator(0, cancelled, { limits: { all: 2, ofKey: 2 } });
  for (const key of ['key-1', 'key-2']) await (await openByHand(url, key))?.call();
  expect(await openByHand(url, 'key-3')).toBeUndefined();
  expect(cancelled).toEqual([]);
});

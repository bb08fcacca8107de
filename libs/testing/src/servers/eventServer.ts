/**
 * An MCP server with events by the draft (SEP-3415) that lies: it repeats and reorders events, forgets cursors, loses
 * events and fails. Over Streamable HTTP, in this process.
 */
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { standardHeaders } from '@baton/protocol';

import { EventStreamsOpen, type StreamFrame } from './eventStreamsOpen.ts';

interface SentEvent {
  readonly eventId: string;
  readonly data: unknown;
}

interface EventQuestionSeen {
  readonly name: string;
  readonly arguments: unknown;
  readonly cursor: string | null;
  readonly maxEvents: number;
}

export interface EventServer {
  /** As an entry of `mcp.json`. */
  readonly entry: object;
  /** All that happened, oldest first. A cursor is a place in it. */
  readonly log: SentEvent[];
  /** What is lost of it from the beginning. */
  lost: number;
  /** What is answered in place of the page; undefined: the page. Awaited. */
  onPoll: ((question: EventQuestionSeen, page: object) => Promise<object> | object) | undefined;
  /** With this JSON-RPC error, `events/poll` fails. */
  fault: { readonly code: number; readonly message: string } | undefined;
  /** False: it has no events. */
  hasEvents: boolean;
  payloadSchema: object;
  /** How it delivers. */
  delivery: readonly string[];
  readonly polls: EventQuestionSeen[];
  readonly subscriptions: Subscribed[];
  /** So much is the clock of the server ahead, by which it says when a subscription ends. */
  aheadMs: number;
  /** What was unsubscribed from: addresses. */
  readonly left: string[];
  /** Streams that are open, on which what happens is sent. */
  readonly streams: EventStreamsOpen;
  /** By the draft: `Unsupported`. */
  refusesStreams: boolean;
  /** What is sent in place of what happened; undefined: that. */
  onStream: ((frame: StreamFrame) => readonly object[]) | undefined;
  /** Something happens: it is in the log and on the streams. */
  happen(...events: readonly SentEvent[]): void;
  /** Posts an event of the log, or a word about the subscription, to the newest subscription. Resolves to the answer. */
  post(body: object, how?: PostOptions): Promise<{ readonly status: number; readonly body: unknown }>;
  close(): Promise<void>;
}

interface Subscribed {
  readonly name: string;
  readonly arguments: unknown;
  readonly cursor: string | null;
  readonly ttlMs: number;
  readonly delivery: { readonly mode: string; readonly url: string; readonly secret: string };
}

interface PostOptions {
  readonly secret?: string;
  readonly url?: string;
  /** Milliseconds from now. */
  readonly away?: number;
}

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
}

const issue = {
  type: 'object',
  properties: { title: { type: 'string' }, number: { type: 'integer' } },
  required: ['title'],
};

/** The events after the cursor, by the draft: null is from now on. */
function pageOf({ log, lost }: EventServer, { cursor, maxEvents }: EventQuestionSeen): object {
  const from = cursor === null ? log.length : Number(cursor);
  const begin = Math.max(from, lost);
  const events = log.slice(begin, begin + maxEvents).map(({ eventId, data }) => ({
    eventId,
    name: 'issue.opened',
    timestamp: '2026-11-27T12:00:00Z',
    data,
  }));
  const at = begin + events.length;
  return { events, cursor: `${at}`, truncated: from < lost, hasMore: at < log.length, nextPollMs: 1_000 };
}

export async function startEventServer(): Promise<EventServer> {
  const answerTo = async ({ method, params }: Request): Promise<object | undefined> => {
    const capabilities = {
      tools: {},
      ...(events.hasEvents && { extensions: { 'io.modelcontextprotocol/events': {} } }),
    };
    switch (method) {
      case 'initialize':
        return { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'events', version: '1' } };
      case 'tools/list':
        return { tools: [] };
      case 'events/list':
        return { events: [listed(events)] };
      case 'events/poll': {
        const question = params as EventQuestionSeen;
        events.polls.push(question);
        const page = pageOf(events, question);
        return (await events.onPoll?.(question, page)) ?? page;
      }
      case 'events/subscribe': {
        const asked = params as Subscribed;
        events.subscriptions.push(asked);
        const { body } = await events.post({ type: 'verification', challenge: 'nonce' });
        if ((body as { readonly challenge?: unknown }).challenge !== 'nonce') throw new Error('challenge_failed');
        const refreshBefore = new Date(Date.now() + events.aheadMs + asked.ttlMs).toISOString();
        const at = asked.cursor ?? `${events.log.length}`;
        return {
          id: `sub_${events.subscriptions.length}`,
          refreshBefore,
          cursor: at,
          truncated: Number(at) < events.lost,
        };
      }
      case 'events/unsubscribe':
        events.left.push((params as Subscribed).delivery.url);
        return {};
      default:
        return method?.startsWith('notifications/') === true ? undefined : {};
    }
  };
  const answer = async (request: IncomingMessage): Promise<object | undefined> => {
    const asked = (await json(request)) as Request;
    const { id } = asked;
    const error = errorOf(events, asked);
    if (error !== undefined) return { jsonrpc: '2.0', id, error };
    if (asked.method === 'events/stream') return { stream: { id, cursor: (asked.params as EventQuestionSeen).cursor } };
    const result = await answerTo(asked);
    return result && { jsonrpc: '2.0', id, result };
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    answer(request)
      .then((body) => {
        if (body !== undefined && 'stream' in body)
          return events.streams.open(response, body.stream as { id: number; cursor: string | null });
        if (body === undefined) return response.writeHead(202).end();
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      })
      // A killed client ends its request in the middle.
      .catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const events: EventServer = {
    entry: { type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` },
    log: [],
    lost: 0,
    onPoll: undefined,
    fault: undefined,
    hasEvents: true,
    payloadSchema: issue,
    delivery: ['poll'],
    polls: [],
    subscriptions: [],
    aheadMs: 0,
    left: [],
    streams: new EventStreamsOpen(() => events),
    onStream: undefined,
    refusesStreams: false,
    happen: (...happened) => {
      events.log.push(...happened);
      events.streams.tell();
    },
    post: async (sent, how = {}) => {
      const { delivery } = events.subscriptions.at(-1) ?? { delivery: { url: '', secret: '' } };
      const { url = delivery.url, secret = delivery.secret, away = 0 } = how;
      const body = JSON.stringify(sent);
      const id =
        'eventId' in sent
          ? String(sent.eventId)
              .slice(0, 80)
              .replaceAll(/[^\w-]/g, '-')
          : 'msg_word_1';
      const signed = standardHeaders({ id, body, secret, nowMs: Date.now() + away });
      const headers = { ...signed, 'content-type': 'application/json', 'x-mcp-subscription-id': 'sub_1' };
      const answered = await fetch(url, { method: 'POST', headers, body });
      return { status: answered.status, body: await answered.json() };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return events;
}

function errorOf({ fault, refusesStreams }: EventServer, { method, params }: Request): object | undefined {
  if (method === 'events/stream' && refusesStreams) return { code: -32_014, message: 'Unsupported' };
  return method === 'events/poll' || method === 'events/stream' ? (fault ?? refusalOf(params)) : undefined;
}

/** Of a cursor that is none of its own. */
const refusalOf = (question: unknown): object | undefined =>
  Number.isNaN(Number((question as EventQuestionSeen).cursor))
    ? { code: -32_602, message: 'Invalid cursor' }
    : undefined;

const listed = ({ delivery, payloadSchema }: EventServer): object => ({
  name: 'issue.opened',
  description: 'An issue was opened.',
  delivery,
  inputSchema: { type: 'object', properties: { repo: { type: 'string' } }, required: ['repo'] },
  payloadSchema,
});

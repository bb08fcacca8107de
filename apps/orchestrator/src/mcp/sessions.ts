/**
 * Sessions of clients of revisions before 2026-07-28. Questions and progress reach the client through its session. A
 * session belongs to the key that opened it, and has the rights that the key had then: with other rights it begins anew,
 * under the same id. Its id contains what the client said of itself, so any orchestrator serves it, also after a restart.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ProblemError } from '@baton/api';
import { haveSameRights, type Principal } from '@baton/control';
import { NewestMap, isObject, unawaited } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type Server,
  isInitializeRequest,
  specTypeSchemas,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { whenClosed } from '../http/whenClosed.ts';
import { type MessageRelayOptions, type RelayedSession, MessageRelay } from './messageRelay.ts';
import { newSessionId, paramsIn } from './sessionId.ts';

interface McpSession extends RelayedSession {
  readonly principal: Principal;
  readonly server: Server;
  readonly answer: ReturnType<typeof toNodeHandler>;
  cancelTimer: () => void;
  /** Of the client: calls under way, and the stream that it listens to. */
  openRequests: number;
  /** Another one took its place: it ends with its last open request. */
  isReplaced: boolean;
}

export interface SessionsOptions extends Pick<MessageRelayOptions, 'channels' | 'seal'> {
  readonly clock: Clock;
  readonly create: (principal: Principal) => Server;
  /** Whether the client ended the session at another process. Absent: no process remembers what ended at another. */
  readonly isClosed?: (principal: Principal, id: string) => Promise<boolean>;
  /** The client ended its session. */
  readonly onClosed?: (principal: Principal, id: string) => void;
  /** The most sessions, and those of one key; absent: the usual ones. */
  readonly limits?: SessionCounts;
}

interface SessionCounts {
  readonly all: number;
  readonly ofKey: number;
}

const idleMs = 30 * 60_000;
/**
 * Where there are more, the least recently used one without an open request makes room, first of the same key: so no
 * client locks others out. Its own client goes on with the same id, and does not notice.
 */
const usual: SessionCounts = { all: 1_000, ofKey: 200 };
/** Sessions that are remembered because their clients ended them. */
const endedMax = 10_000;

export class McpSessions {
  readonly #sessions = new Map<string, McpSession>();
  readonly #recalling = new Map<string, Promise<McpSession | undefined>>();
  readonly #options: SessionsOptions;
  readonly #limits: SessionCounts;
  /** In the order in which their clients ended them here. */
  readonly #ended = new NewestMap<string, true>(endedMax);
  readonly #relay: MessageRelay;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { channels, seal, limits = usual } = options;
    this.#limits = limits;
    this.#relay = new MessageRelay({ channels, seal, find: (id) => this.#sessions.get(id) });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers on `response`. Throws `ProblemError` before it answers. */
  async handle(request: NodeRequest, response: ServerResponse, body: unknown, principal: Principal): Promise<void> {
    const given = request.headers['mcp-session-id'];
    if (typeof given === 'string') {
      const here = this.#current(given, principal);
      const known = here ?? (await this.#recall(principal, given));
      if (known?.owner !== principal.id || !haveSameRights(known.principal, principal)) throw sessionNotFound();
      known.openRequests += 1;
      whenClosed(response, () => {
        known.openRequests -= 1;
        if (known.isReplaced && known.openRequests === 0) unawaited(known.server.close());
      });
      if (here !== undefined && (await this.#options.isClosed?.(principal, given)) === true) {
        this.#end(given, here);
        throw sessionNotFound();
      }
      this.#touch(given, known);
      return known.answer(request, response, body);
    }
    if (!isInitializeRequest(body)) throw new ProblemError('malformed-request', whyNoSession(body));
    const id = newSessionId(body.params);
    const { answer } = await this.#open(principal, id);
    return answer(request, response, body);
  }

  /** Calls `tell` for each session, while it exists. */
  tell(tell: (server: Server) => void): void {
    for (const { server } of this.#sessions.values()) tell(server);
  }

  async close(): Promise<void> {
    this.#relay.close();
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { cancelTimer } of all) cancelTimer();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  /**
   * The session, where it has the rights of the request; with others it is recalled with these. Calls under way go on, as a
   * run does whose starter has other rights now.
   */
  #current(id: string, principal: Principal): McpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.owner !== principal.id || haveSameRights(session.principal, principal)) return session;
    if (session.openRequests === 0) this.#end(id, session);
    else this.#forget(id);
    session.isReplaced = true;
    return undefined;
  }

  async #open(principal: Principal, id: string): Promise<OpenedSession> {
    if (this.#sessions.size >= this.#limits.all && !this.#endUnused([...this.#sessions])) {
      throw new ProblemError('overloaded', 'Too many MCP sessions are in use just now.', {
        headers: { 'retry-after': '5' },
      });
    }
    const server = this.#options.create(principal);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        this.#makeRoom(principal.id);
        const begun = { principal, owner: principal.id, server, answer, take };
        this.#touch(id, { ...begun, cancelTimer: () => undefined, openRequests: 0, isReplaced: false });
      },
      onsessionclosed: (closed) => {
        this.#forget(closed);
        this.#ended.set(closed, true);
        this.#options.onClosed?.(principal, closed);
      },
    });
    const fetch: OpenedSession['fetch'] = async (request, more) => {
      const answered = await transport.handleRequest(request, more);
      return request.method === 'GET' ? withLeadingComment(answered) : answered;
    };
    const answer = toNodeHandler({ fetch });
    await server.connect(transport);
    const take = this.#relay.attach(transport, id, principal.id);
    return { fetch, answer };
  }

  /** Another process opened it, or this one made room: the client continues here. Simultaneous requests share the session. */
  #recall(principal: Principal, id: string): Promise<McpSession | undefined> {
    const recalled = this.#recalling.get(id) ?? this.#takeUp(principal, id).finally(() => this.#recalling.delete(id));
    this.#recalling.set(id, recalled);
    return recalled;
  }

  async #takeUp(principal: Principal, id: string): Promise<McpSession | undefined> {
    const params = paramsIn(id);
    if (params === undefined || this.#ended.has(id)) return undefined;
    if ((await this.#options.isClosed?.(principal, id)) === true) return undefined;
    const { fetch } = await this.#open(principal, id);
    for (const message of [{ id: 'recalled', method: 'initialize', params }, { method: 'notifications/initialized' }]) {
      const parsedBody = { jsonrpc: '2.0', ...message };
      const body = JSON.stringify(parsedBody);
      const answer = await fetch(new Request('http://localhost/', { method: 'POST', headers: headersOf(id), body }), {
        parsedBody,
      });
      await answer.text();
    }
    return this.#sessions.get(id);
  }

  #makeRoom(owner: string): void {
    const own = [...this.#sessions].filter(([, session]) => session.owner === owner);
    const [oldest] = own;
    if (oldest === undefined || own.length < this.#limits.ofKey || this.#endUnused(own)) return;
    this.#end(...oldest);
  }

  /** `sessions`: in order of their last use. False where each has an open request. */
  #endUnused(sessions: readonly (readonly [id: string, session: McpSession])[]): boolean {
    const unused = sessions.find(([, { openRequests }]) => openRequests === 0);
    if (unused !== undefined) this.#end(...unused);
    return unused !== undefined;
  }

  /** In order of their last use. */
  #touch(id: string, session: McpSession): void {
    session.cancelTimer();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.cancelTimer = this.#options.clock.after(idleMs, () => this.#end(id, session));
  }

  #end(id: string, session: McpSession): void {
    this.#forget(id);
    unawaited(session.server.close());
  }

  #forget(id: string): void {
    this.#sessions.get(id)?.cancelTimer();
    this.#sessions.delete(id);
  }
}

type NodeRequest = IncomingMessage & Parameters<ReturnType<typeof toNodeHandler>>[0];

interface OpenedSession extends Pick<McpSession, 'answer'> {
  readonly fetch: Parameters<typeof toNodeHandler>[0]['fetch'];
}

const headersOf = (id: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-session-id': id,
});

/** 404, as these revisions require: the client then opens another session. */
const sessionNotFound = (): ProblemError =>
  new ProblemError('not-found', 'There is no such session. Begin with initialize.');

/** Sends a comment first: Node sends headers with the first bytes of the body, and the first event may come late. */
function withLeadingComment(answered: Response): Response {
  if (answered.body === null || !answered.ok) return answered;
  const first = new TextEncoder().encode(':\n\n');
  const comment = new TransformStream<Uint8Array, Uint8Array>({ start: (stream) => stream.enqueue(first) });
  return new Response(answered.body.pipeThrough(comment), answered);
}

/** Why no session begins with this message. */
function whyNoSession(body: unknown): string {
  if (!isObject(body) || body['method'] !== 'initialize') return 'A session begins with initialize.';
  const read = specTypeSchemas.InitializeRequest['~standard'].validate(body);
  const [issue] = 'issues' in read ? (read.issues ?? []) : [];
  const member = (issue?.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)).join('.');
  return member === ''
    ? 'The initialize request is not complete.'
    : `In the initialize request "${member}" is missing or wrong.`;
}

/**
 * Connections of the revisions before 2026-07-28: the client keeps a session, and questions and progress find their way
 * back by it. A session belongs to the key that opened it, and to this process; a client that finds it gone opens another.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ProblemError } from '@baton/api';
import type { Clock } from '@baton/runner';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import { isInitializeRequest } from '@modelcontextprotocol/server';

import type { Principal } from '../keys/scopes.ts';

interface Session {
  readonly owner: string;
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
  cancelTimer: () => void;
}

const idleMs = 30 * 60_000;
const sessionsMax = 1_000;
/** Of one key. A client that opens more loses the one that it has not used for longest, and keeps nobody else out. */
const ofKeyMax = 200;

export class McpSessions {
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;
  readonly #create: (principal: Principal) => Server;

  constructor(clock: Clock, create: (principal: Principal) => Server) {
    this.#clock = clock;
    this.#create = create;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers on `response`. Throws `ProblemError` before anything is answered. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown, principal: Principal): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (typeof id === 'string' && known?.owner !== principal.id) throw gone();
    if (known !== undefined && typeof id === 'string') {
      this.#touch(id, known);
      return known.transport.handleRequest(request, response, body);
    }
    if (!isInitializeRequest(body)) throw new ProblemError('malformed-request', 'A session begins with initialize.');
    const transport = await this.#open(principal);
    return transport.handleRequest(request, response, body);
  }

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { cancelTimer } of all) cancelTimer();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  async #open(principal: Principal): Promise<NodeStreamableHTTPServerTransport> {
    if (this.#sessions.size >= sessionsMax) {
      throw new ProblemError('overloaded', 'Too many MCP sessions are open just now.', {
        headers: { 'retry-after': '5' },
      });
    }
    const server = this.#create(principal);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#makeRoom(principal.id);
        const session: Session = { owner: principal.id, server, transport, cancelTimer: () => undefined };
        this.#touch(id, session);
      },
      onsessionclosed: (id) => this.#forget(id),
    });
    await server.connect(transport);
    return transport;
  }

  #makeRoom(owner: string): void {
    const own = [...this.#sessions].filter(([, session]) => session.owner === owner);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= ofKeyMax) this.#end(...oldest);
  }

  /** Those that were used last stand last. */
  #touch(id: string, session: Session): void {
    session.cancelTimer();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.cancelTimer = this.#clock.after(idleMs, () => this.#end(id, session));
  }

  #end(id: string, session: Session): void {
    this.#forget(id);
    void session.server.close();
  }

  #forget(id: string): void {
    this.#sessions.get(id)?.cancelTimer();
    this.#sessions.delete(id);
  }
}

/** 404, as the revisions with sessions want it: the client opens another. */
const gone = (): ProblemError => new ProblemError('not-found', 'There is no such session. Begin with initialize.');

/**
 * Answers the requests of one session's server: on the wire before 2026-07-28, within results since then
 * (multi-round-trip requests). Requests that the operator does not allow are refused, and not declared as capabilities.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { cleanText, isObject } from '@baton/primitives';
import { fromCreateMessage, toCreateMessage } from '@baton/protocol';
import type { ServerPolicy } from '@baton/protocol';
import type {
  Client,
  ClientCapabilities,
  ClientContext,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

import { RateLimiter } from '../server/rateLimiter.ts';
import { answerableForm } from './answerableForm.ts';
import type { ServerRequest, Handlers } from './handlers.ts';

export interface ServerRequestHandlerOptions {
  readonly server: string;
  readonly session: string;
  readonly handlers: Handlers;
  readonly policy: ServerPolicy;
  /** Where relative roots begin. */
  readonly root: string;
  /** The transport gives the server no way to ask. */
  readonly isMute: boolean;
}

type ServerRequestAnswer = (params: JsonObject, request: ServerRequest) => Promise<JsonObject>;

const logsPerSecond = 50;
const logCharacters = 2_000;
const AnyObject = z.custom<JsonObject>((value) => isObject(value));

export class ServerRequestHandler {
  readonly capabilities: ClientCapabilities;
  /** Runs with a call on the session. */
  runs: () => readonly string[] = () => [];
  /** Called when answering begins; the returned function is called when it ends. */
  hold: () => () => void = () => () => {};
  readonly #options: ServerRequestHandlerOptions;
  readonly #answers = new Map<
    string,
    { readonly answer: ServerRequestAnswer; readonly policy: ServerRequest['policy'] }
  >();
  /** URLs that a person must open, by elicitation id. */
  readonly #opening = new Map<string, AbortController>();
  readonly #rateLimiter = new RateLimiter(logsPerSecond);

  constructor(options: ServerRequestHandlerOptions) {
    this.#options = options;
    const { handlers, policy, isMute } = options;
    const { sampling, elicitation } = handlers;
    const roots = rootsAnswer(options);
    if (!isMute && sampling !== undefined && policy.sampling !== 'deny') {
      this.#answers.set('sampling/createMessage', { answer: sampling, policy: policy.sampling });
    }
    if (!isMute && elicitation !== undefined && policy.elicitation !== 'deny') {
      this.#answers.set('elicitation/create', { answer: elicitation, policy: policy.elicitation });
    }
    if (!isMute && roots !== undefined) this.#answers.set('roots/list', { answer: roots, policy: 'allow' });
    this.capabilities = {
      ...(this.#answers.has('sampling/createMessage') ? { sampling: {} } : {}),
      ...(this.#answers.has('elicitation/create') ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {}),
      ...(this.#answers.has('roots/list') ? { roots: {} } : {}),
    };
  }

  get listensToLogs(): boolean {
    return this.#options.handlers.log !== undefined;
  }

  /** The result of the request. Rejects with `FailureError` where it is not allowed, and with the handler's errors. */
  async answer(method: string, params: JsonObject, signal: AbortSignal, runs = this.runs()): Promise<JsonObject> {
    const { server, session } = this.#options;
    const found = this.#answers.get(method);
    if (found === undefined) {
      const message = `The server "${server}" asks for ${cleanText(method, 80)}, which it is not allowed.`;
      throw new FailureError('server-rejected', message, { delivery: 'answered' });
    }
    const release = this.hold();
    const { elicitationId: id } = params;
    const opening = typeof id === 'string' ? new AbortController() : undefined;
    if (typeof id === 'string' && opening !== undefined) this.#opening.set(id, opening);
    const completed = opening === undefined ? {} : { completed: opening.signal };
    try {
      const asked = method === 'elicitation/create' ? answerableForm(params) : params;
      return await found.answer(asked, { server, session, signal, policy: found.policy, runs, ...completed });
    } finally {
      release();
      if (typeof id === 'string' && this.#opening.get(id) === opening) this.#opening.delete(id);
    }
  }

  mayAnswer(method: string): boolean {
    return this.#answers.has(method);
  }

  /** The SDK checks parameters and results against the schemas of the method. */
  install(client: Client): void {
    const answer = (method: string, request: { readonly params?: unknown }, { mcpReq }: ClientContext) =>
      // The SDK's types name every member; ours are any JSON, which the SDK checks.
      this.answer(method, (request.params ?? {}) as JsonObject, mcpReq.signal) as Promise<unknown>;
    if (this.capabilities.sampling !== undefined) {
      client.setRequestHandler('sampling/createMessage', async (request, context) => {
        return (await answer('sampling/createMessage', request, context)) as CreateMessageResult;
      });
      // The method's name in servers from before the first revision (seed 003).
      client.setRequestHandler(
        'completion/create',
        { params: AnyObject, result: AnyObject },
        async (params, context) => {
          const request = { params: toCreateMessage(params) };
          return fromCreateMessage((await answer('sampling/createMessage', request, context)) as JsonObject);
        },
      );
    }
    if (this.capabilities.elicitation !== undefined) {
      client.setRequestHandler('elicitation/create', async (request, context) => {
        return (await answer('elicitation/create', request, context)) as ElicitResult;
      });
      // Only in 2025-11-25, which requires clients to ignore unknown ids.
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
        this.#opening.get(params.elicitationId)?.abort(),
      );
    }
    if (this.capabilities.roots !== undefined) {
      client.setRequestHandler('roots/list', async (request, context) => {
        return (await answer('roots/list', request, context)) as ListRootsResult;
      });
    }
    if (this.listensToLogs) client.setNotificationHandler('notifications/message', ({ params }) => this.#log(params));
  }

  #log({ level, logger, data }: { level: string; logger?: string | undefined; data?: unknown }): void {
    if (!this.#rateLimiter.admits(performance.now())) return;
    const { server, session, handlers } = this.#options;
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    handlers.log?.({
      server,
      session,
      level,
      ...(logger === undefined ? {} : { logger: cleanText(logger, 80) }),
      message: cleanText(text, logCharacters),
    });
  }
}

function rootsAnswer({ handlers, policy, root }: ServerRequestHandlerOptions): ServerRequestAnswer | undefined {
  const { roots } = handlers;
  if (roots !== undefined) return (_, request) => roots(request);
  if (policy.roots === undefined) return undefined;
  const listed = policy.roots.map((path) => ({ uri: pathToFileURL(resolve(root, path)).href, name: path }));
  return () => Promise.resolve({ roots: listed });
}

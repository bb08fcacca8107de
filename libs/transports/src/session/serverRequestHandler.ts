/**
 * Answers the requests of one session's server, on the wire before 2026-07-28, within results since then
 * (multi-round-trip requests), and hears its notifications. Requests that the operator does not allow are refused, and
 * not declared as capabilities.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { FailureError } from '@baton/engine';
import { type JsonObject, cleanText, membersOf, TokenBucket, unawaited } from '@baton/primitives';
import { fromCreateMessage, toCreateMessage, type ServerPolicy } from '@baton/protocol';

import type { Answer, Call, MessageId } from '../link/messages.ts';
import { answerableForm, withDefaults } from './answerableForm.ts';
import type { ServerRequest, Handlers } from './handlers.ts';

/** Reports of the server about its lists and resources. */
export interface ServerNotices {
  /** A list of tools, prompts or resources has changed, or may have. */
  onListChanged(): void;
  onResourceUpdated(uri: string): void;
}

export interface ServerRequestHandlerOptions {
  readonly server: string;
  readonly session: string;
  readonly handlers: Handlers;
  readonly policy: ServerPolicy;
  /** Where relative roots begin. */
  readonly root: string;
  /** The transport gives the server no way to ask. */
  readonly isMute: boolean;
  readonly heard: ServerNotices;
  /** Sends the answer to a request. Rejects if the link has ended. */
  readonly send: (answer: Answer) => Promise<void>;
}

type ServerRequestAnswer = (params: JsonObject, request: ServerRequest) => Promise<JsonObject>;

const logsPerSecond = 50;
const logCharacters = 2_000;
/** JSON-RPC 2.0, section 5.1. */
const rpcCodes = { methodNotFound: -32_601, internalError: -32_603 } as const;

export class ServerRequestHandler {
  /** What Baton declares to the server. */
  readonly capabilities: JsonObject;
  /** Requests on the wire before 2026-07-28; later servers ask within their results. */
  isLegacy = true;
  /** Runs with a call on the session. */
  runs: () => readonly string[] = () => [];
  /** Called when answering begins; the returned function is called when it ends. */
  hold: () => () => void = () => () => {};
  readonly #options: ServerRequestHandlerOptions;
  readonly #answers = new Map<
    string,
    { readonly answer: ServerRequestAnswer; readonly policy: ServerRequest['policy'] }
  >();
  /** Requests of the server that are being answered, by their ids. */
  readonly #answering = new Map<MessageId, AbortController>();
  /** URLs that a person must open, by elicitation id. */
  readonly #opening = new Map<string, AbortController>();
  readonly #rateLimiter = new TokenBucket({ perSecond: logsPerSecond });

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
      const isForm = method === 'elicitation/create';
      const asked = isForm ? answerableForm(params) : params;
      const answer = await found.answer(asked, { server, session, signal, policy: found.policy, runs, ...completed });
      return isForm ? withDefaults(asked, answer) : answer;
    } finally {
      release();
      if (typeof id === 'string' && this.#opening.get(id) === opening) this.#opening.delete(id);
    }
  }

  mayAnswer(method: string): boolean {
    return this.#answers.has(method);
  }

  /** Takes a request or a notification of the server. */
  take({ id, method, params }: Call): void {
    const given = membersOf(params) as JsonObject;
    if (id === undefined) this.#hear(method, given);
    else if (this.isLegacy) unawaited(this.#reply(id, method, given));
  }

  #hear(method: string, params: JsonObject): void {
    const { heard } = this.#options;
    const { uri, elicitationId, requestId } = params;
    if (listChanges.has(method)) heard.onListChanged();
    else if (method === 'notifications/resources/updated' && typeof uri === 'string') heard.onResourceUpdated(uri);
    else if (method === 'notifications/message' && this.listensToLogs) this.#log(params);
    else if (method === 'notifications/cancelled' && isId(requestId)) this.#answering.get(requestId)?.abort();
    // Only in 2025-11-25, which requires clients to ignore unknown ids.
    else if (method === 'notifications/elicitation/complete' && typeof elicitationId === 'string') {
      this.#opening.get(elicitationId)?.abort();
    }
  }

  async #reply(id: MessageId, method: string, params: JsonObject): Promise<void> {
    const cancelling = new AbortController();
    this.#answering.set(id, cancelling);
    const answer = await this.#answerTo(method, params, cancelling.signal).then(
      (result): Answer => ({ id, result }),
      (error: unknown): Answer => ({ id, error: rpcErrorOf(error) }),
    );
    if (this.#answering.get(id) === cancelling) this.#answering.delete(id);
    if (cancelling.signal.aborted) return;
    // Where the link has ended, the server does not wait for the answer.
    await this.#options.send(answer).catch(() => {});
  }

  async #answerTo(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {};
    // The method's name in servers from before the first revision (seed 003).
    const isOld = method === 'completion/create';
    const asked = isOld ? 'sampling/createMessage' : method;
    if (!this.mayAnswer(asked)) throw new MethodNotFound();
    const result = await this.answer(asked, isOld ? toCreateMessage(params) : params, signal);
    return isOld ? fromCreateMessage(result) : result;
  }

  #log({ level, logger, data }: JsonObject): void {
    if (typeof level !== 'string' || !this.#rateLimiter.admits(performance.now())) return;
    const { server, session, handlers } = this.#options;
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    handlers.log?.({
      server,
      session,
      level,
      ...(typeof logger === 'string' ? { logger: cleanText(logger, 80) } : {}),
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

class MethodNotFound extends Error {
  override readonly name = 'MethodNotFound';
  override readonly message = 'Method not found';
}

const rpcErrorOf = (error: unknown): { readonly code: number; readonly message: string } => ({
  code: error instanceof MethodNotFound ? rpcCodes.methodNotFound : rpcCodes.internalError,
  message: error instanceof Error ? error.message : 'Internal error',
});

const isId = (id: unknown): id is MessageId => typeof id === 'string' || typeof id === 'number';

const listChanges: ReadonlySet<string> = new Set(
  ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`),
);

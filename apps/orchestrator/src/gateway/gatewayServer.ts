/**
 * The gateway as an MCP server: tools, prompts and resources of the configured servers. Each call is a step of the
 * session's run; the gateway keeps nothing besides the journal.
 */
import { ProblemError } from '@baton/api';
import {
  type CatalogueCache,
  policyOf,
  answerQuestion,
  declineQuestion,
  type AskedQuestion,
  type Principal,
} from '@baton/control';
import { type Question, type SessionTarget, argumentsFailure } from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import { servesWorkflow, sessionWorkflow } from '@baton/language';
import { type JsonObject, defined, delayText } from '@baton/primitives';
import type { ServersConfig } from '@baton/protocol';
import { type Plans, UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import {
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';

import { asProblem } from '../http/asProblem.ts';
import { whenClosed } from '../http/whenClosed.ts';
import { consent, keyOf } from '../mcp/answers.ts';
import { converse, waitMs } from '../mcp/dialogs.ts';
import { canPut } from '../mcp/elicitation.ts';
import type { Era } from '../mcp/mcpServer.ts';
import { mistakesAsResult } from '../mcp/nextAfterMistake.ts';
import { sendProgress } from '../mcp/runProgress.ts';
import { serversFor, uriAt, wholeNameAt } from '../tools/offeredNames.ts';
import { type ServerOffers, offersOf } from '../tools/serverOffers.ts';
import { type AskedApproval, approvalText, showsArguments } from './approvalText.ts';
import { toolAnswer, valueAnswer } from './callAnswers.ts';
import { calledTool } from './calledTool.ts';
import { replyIn } from './clientSampling.ts';
import type {
  CallOutcome,
  FollowCallOptions,
  GatewayCall,
  GatewayCalls,
  GatewayCallsOptions,
  PlacedCall,
} from './gatewayCalls.ts';
import { gatewayRequestOf, type GatewayRequest } from './gatewaySession.ts';
import { calledIn, findingTools, foundTools } from './gatewayTools.ts';
import { listedPrompts, listedResources, listedTemplates, listedTools } from './listings.ts';
import { questionRequest, refusedTries, triesMax } from './questionRound.ts';
import { resumedCall } from './resumedCall.ts';
import type { SeenTools } from './seenTools.ts';

export interface GatewayOptions extends GatewayCallsOptions {
  readonly plans: Plans;
  readonly store: Store;
  readonly config: ServersConfig;
  readonly catalogueCache: CatalogueCache;
  readonly calls: GatewayCalls;
  readonly seen: SeenTools;
  readonly version: string;
}

const instructions =
  'The tools of several servers; a name begins with that of its server. Each call is on record. ' +
  'What a person must agree to may take a while: the same call with the same arguments, made again, finds its answer.';

export function createGatewayServer(options: GatewayOptions, era: Era): Server {
  const server = new Server(
    { name: 'baton-gateway', title: 'Baton gateway', version: options.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
      },
      instructions,
      inputRequired: { legacyShim: false },
      // An agent that must read a tool's definition again needs the current one, not its client's cached copy.
      cacheHints: { 'tools/list': { ttlMs: 0, cacheScope: 'private' } },
    },
  );
  const gateway = new Gateway(options, server, era);
  server.setRequestHandler('tools/list', (_, context) => mistakesAsProtocolError(() => gateway.listTools(context)));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    gateway.callTool(params.name, (params.arguments ?? {}) as JsonObject, context),
  );
  const offers = (context: ServerContext) => mistakesAsProtocolError(() => gateway.offers(context));
  server.setRequestHandler('prompts/list', async (_, context) => ({
    prompts: listedPrompts((await offers(context)).prompts),
  }));
  server.setRequestHandler('resources/list', async (_, context) => ({
    resources: listedResources((await offers(context)).catalogues),
  }));
  server.setRequestHandler('resources/templates/list', async (_, context) => ({
    resourceTemplates: listedTemplates((await offers(context)).catalogues),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const result = await mistakesAsProtocolError(() => gateway.getPrompt(params.name, params.arguments ?? {}, context));
    return result as unknown as { messages: [] };
  });
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const result = await mistakesAsProtocolError(() => gateway.readResource(params.uri, context));
    return result as unknown as { contents: [] };
  });
  return server;
}

class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: Server;
  readonly #era: Era;

  constructor(options: GatewayOptions, server: Server, era: Era) {
    this.#era = era;
    this.#options = options;
    this.#server = server;
  }

  async offers(context: ServerContext): Promise<ServerOffers> {
    const request = this.#requestOf(context);
    return offersOf(this.#options, this.#serversOf(request), request.principal);
  }

  async listTools(context: ServerContext) {
    const request = this.#requestOf(context);
    if (request.searchesTools) return { tools: [...findingTools] };
    const { tools } = await offersOf(this.#options, this.#serversOf(request), request.principal);
    this.#options.seen.note(request, tools);
    return { tools: listedTools(tools) };
  }

  callTool(name: string, given: JsonObject, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const call = async () => {
      const request = this.#requestOf(context);
      if (!request.searchesTools) return this.#call(request, name, given, context);
      if (name === 'find_tools') {
        const { tools } = await offersOf(this.#options, this.#serversOf(request), request.principal);
        const { shown, result } = foundTools(tools, given);
        this.#options.seen.note(request, shown);
        return result;
      }
      const called = name === 'call_tool' ? calledIn(given) : { name, arguments: given };
      return this.#call(request, called.name, called.arguments, context);
    };
    return mistakesAsResult(call, ({ headers }) => {
      const wait = headers['retry-after'];
      return wait === undefined ? [] : [`Wait ${delayText(Number(wait) * 1_000)}, then make the same call again.`];
    });
  }

  async getPrompt(offered: string, given: JsonObject, context: ServerContext): Promise<JsonObject> {
    const request = this.#requestOf(context);
    const servers = this.#serversOf(request);
    const { prompts } = await offersOf(this.#options, servers, request.principal, serversFor(servers, offered));
    const listed = prompts.find(({ name }) => name === offered);
    const at =
      listed === undefined ? wholeNameAt(servers, offered) : { server: listed.server, name: listed.prompt.name };
    if (at === undefined) throw invalid(`There is no prompt ${JSON.stringify(offered.slice(0, 80))}.`);
    return this.#getValue(request, { verb: 'prompt', server: at.server, prompt: at.name }, given, context);
  }

  async readResource(offered: string, context: ServerContext): Promise<JsonObject> {
    const request = this.#requestOf(context);
    const at = uriAt(this.#serversOf(request), offered) ?? (await this.#listedAt(request, offered));
    if (at !== undefined)
      return this.#getValue(request, { verb: 'resource', server: at.server, uri: at.uri }, {}, context);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no resource ${JSON.stringify(offered.slice(0, 80))}: here they begin with "server+".`,
      { uri: offered },
    );
  }

  /** The `_meta` of a tool may name a resource of its own server, as MCP Apps do: it is read if one server lists it. */
  async #listedAt(request: GatewayRequest, uri: string): Promise<{ server: string; uri: string } | undefined> {
    const { catalogues } = await offersOf(this.#options, this.#serversOf(request), request.principal);
    const [found, ...others] = [...catalogues].filter(([, { resources }]) => resources.some((one) => one.uri === uri));
    return found === undefined || others.length > 0 ? undefined : { server: found[0], uri };
  }

  async #getValue(
    request: GatewayRequest,
    target: SessionTarget,
    given: JsonObject,
    context: ServerContext,
  ): Promise<JsonObject> {
    const wanted = { target, arguments: given, question: '', needsApproval: false, refusal: undefined };
    const placed = await this.#place(request, wanted, context);
    const outcome = await this.#follow(request, placed, context);
    if ('questionRequest' in outcome)
      throw new ProblemError('conflict', 'The server asked a question that this client cannot answer.');
    const answer = valueAnswer(outcome, placed);
    if ('result' in answer) return answer.result;
    throw invalid(answer.failure.message);
  }

  async #call(
    request: GatewayRequest,
    name: string,
    given: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const state = context.mcpReq.requestState<string>();
    const placed =
      state === undefined ? await this.#placeTool(request, name, given, context) : await this.#resume(request, state);
    const outcome = await this.#converse(request, placed, context);
    return 'questionRequest' in outcome ? outcome.questionRequest : toolAnswer(outcome, placed);
  }

  /** Before 2026-07-28 the client is asked during its call; later it calls again with the answers. */
  async #converse(request: GatewayRequest, placed: PlacedCall, context: ServerContext): Promise<FollowedCall> {
    if (this.#era === 'modern') return this.#follow(request, placed, context);
    const outcome = await converse<FollowedCall>({
      context,
      requestIn: (followed) => ('questionRequest' in followed ? followed.questionRequest : undefined),
      follow: async (next, failed) => {
        if (failed === undefined || !('questionRequest' in failed.answer)) return this.#follow(request, placed, next);
        const { question } = failed.answer;
        // Declines if the client's model cannot be asked. A person can still answer other questions elsewhere.
        if (question.question.sample !== undefined) await this.#decline(question, request);
        return this.#follow(request, placed, next, question.id);
      },
    });
    return 'questionRequest' in outcome ? { kind: 'unanswered', question: outcome.question } : outcome;
  }

  async #placeTool(
    request: GatewayRequest,
    name: string,
    given: JsonObject,
    context: ServerContext,
  ): Promise<PlacedCall> {
    const signal = leavingOf(request, context);
    const called = await calledTool(this.#options, { request, servers: this.#serversOf(request), name, signal });
    if ('refusal' in called)
      return this.#place(request, { ...called, arguments: given, question: '', needsApproval: false }, context);
    const { server, tool, effect, check } = called;
    const target: SessionTarget = {
      verb: 'tool',
      server,
      tool: tool.name,
      effect,
      ...tool.digests,
      ...defined({ check }),
    };
    const { approve } = policyOf(this.#options.config, server);
    const needsApproval = effect.effect === 'write' && (approve ?? request.principal.approve) === 'write';
    const asked = {
      ...callerOf(request.principal),
      client: request.client.name,
      server,
      tool: tool.name,
      arguments: given,
    };
    const question = effect.effect === 'write' ? approvalText(asked) : '';
    const refusal = argumentsFailure(`the tool ${server}/${tool.name}`, tool.inputSchema, given)?.failure;
    return this.#place(request, { target, arguments: given, question, needsApproval, refusal }, context);
  }

  #place(
    { principal, session, client, connection }: GatewayRequest,
    wanted: Pick<GatewayCall, 'target' | 'arguments' | 'question' | 'needsApproval' | 'refusal'>,
    { mcpReq }: ServerContext,
  ): Promise<PlacedCall> {
    return this.#options.calls.place({ ...wanted, principal, session, client, connection, key: keyIn(mcpReq._meta) });
  }

  /** The client repeats the call with the answers that it was asked for. */
  async #resume({ principal }: GatewayRequest, state: string): Promise<PlacedCall> {
    const placed = await resumedCall(this.#options.journal, principal, state);
    if (placed === undefined) throw invalid('The requestState is not valid.');
    return placed;
  }

  async #follow(
    request: GatewayRequest,
    placed: PlacedCall,
    context: ServerContext,
    failed?: string,
  ): Promise<FollowedCall> {
    const { calls } = this.#options;
    const { elicitation, sampling } = request.capabilities;
    const canAsk = (question: Question): boolean =>
      question.sample === undefined
        ? showsArguments(question.message) && canPut(elicitation, question)
        : sampling !== undefined;
    const signal = leavingOf(request, context);
    const used = new Set<string>();
    const stopsAt = ({ id, question }: AskedQuestion): boolean => canAsk(question) && id !== failed;
    const onProgress: FollowCallOptions['onProgress'] = (progress) => sendProgress(context, progress);
    for (;;) {
      const outcome = await calls.follow(placed, { signal, forMs: waitMs, stopsAt, onProgress });
      if (outcome.kind === 'asked') {
        const { question } = outcome;
        const taken = used.has(question.id) ? 'none' : await this.#takeAnswer(question, request, context);
        used.add(question.id);
        if (taken === 'taken') continue;
        if (taken === 'none') return questionRequest(question, placed);
        const tries = refusedTries(context, question);
        if (tries >= triesMax) return { kind: 'unanswered', question, why: taken.why };
        return questionRequest(question, placed, { tries, why: taken.why });
      }
      if (outcome.kind === 'ended' || outcome.kind === 'sessionOver') noteDelivery(request, calls, placed);
      return outcome;
    }
  }

  async #decline(question: AskedQuestion, { principal }: GatewayRequest): Promise<void> {
    await declineQuestion(this.#options, question, principal.by).catch((error: unknown) => {
      // Another answer came first.
      if (!(error instanceof ProblemError)) throw error;
    });
  }

  /** Whether the request contains the answer to the question, or why that does not fit the question's form. */
  async #takeAnswer(
    question: AskedQuestion,
    { principal }: GatewayRequest,
    { mcpReq }: ServerContext,
  ): Promise<'taken' | 'none' | { readonly why: string }> {
    const given = inputResponse(mcpReq.inputResponses, keyOf(question));
    const { by } = principal;
    try {
      if (given.kind === 'sampling') {
        const answer = replyIn(given.result);
        if (answer === undefined) await declineQuestion(this.#options, question, by);
        else await answerQuestion(this.#options, question, { answer, by });
        return 'taken';
      }
      if (given.kind !== 'elicit') return 'none';
      if (given.action !== 'accept') await declineQuestion(this.#options, question, by);
      else await answerQuestion(this.#options, question, { answer: consent(question, given.content), by });
      return 'taken';
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      // Another answer came first; the call continues with that one.
      return error.code === 'validation-failed' ? { why: error.message } : 'taken';
    }
  }

  #requestOf = (context: ServerContext): GatewayRequest => gatewayRequestOf(this.#server, context);

  /** Throws `ProblemError` for an unknown server. A session is a run of the workflow `session`. */
  #serversOf({ servers }: GatewayRequest): readonly string[] {
    const names = this.#options.catalogueCache.namesFor((allow) => servesWorkflow(allow, sessionWorkflow));
    const unknown = servers?.find((one) => !names.includes(one));
    if (unknown === undefined) return servers ?? names;
    const hint = didYouMean(unknown, names) ?? `there are ${names.slice(0, namesShown).join(', ')}`;
    const asked = JSON.stringify(unknown.slice(0, 80));
    throw new ProblemError('not-found', `?servers in the address names ${asked}, which is not configured: ${hint}`);
  }
}

type FollowedCall = Exclude<CallOutcome, { kind: 'asked' }> | ReturnType<typeof questionRequest>;

const namesShown = 8;

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

const callerOf = (principal: Principal): Pick<AskedApproval, 'holder' | 'connected'> => {
  const { name, actor } = principal.client?.holder ?? principal;
  const kind = actor?.kind === 'person' ? 'person' : 'key';
  return { holder: { kind, name }, ...defined({ connected: principal.client?.name }) };
};

/** Aborts when the client cancels its request, or leaves. */
function leavingOf({ response }: GatewayRequest, { mcpReq }: ServerContext): AbortSignal {
  const closed = new AbortController();
  whenClosed(response, () => closed.abort());
  return AbortSignal.any([mcpReq.signal, closed.signal]);
}

/** An answer counts as delivered when it was written to the network completely. */
function noteDelivery({ response }: GatewayRequest, calls: GatewayCalls, placed: PlacedCall): void {
  whenClosed(response, () => calls.answered(placed, response.writableFinished));
}

/** Visible ASCII, like the idempotency keys of runs. */
function keyIn(meta: ServerContext['mcpReq']['_meta']): string | undefined {
  const key = meta?.['idempotencyKey'] ?? meta?.['baton/attempt'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ProblemError('validation-failed', 'An idempotencyKey has 1 to 255 visible ASCII characters.');
}

/** A mistake in the request or in the address of the gateway is the client's: it rejects with `ProtocolError`. */
async function mistakesAsProtocolError<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof ProblemError) && !(error instanceof UnavailableError)) throw error;
    throw invalid(asProblem(error).detail);
  }
}

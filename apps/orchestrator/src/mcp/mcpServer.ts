/** Baton as an MCP server: its workflows are tools, its runs are resources. */
import { ProblemError } from '@baton/api';
import {
  authoringNames,
  isAuthoring,
  type Principal,
  may,
  isReserved,
  generalNames,
  isGeneral,
  checkScopes,
  control,
} from '@baton/control';
import type { JsonObject } from '@baton/primitives';
import {
  type ClientCapabilities,
  type ServerCapabilities,
  type ServerContext,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';

import { type AuthorOptions, Author } from '../authoring/author.ts';
import { authoringPrompt, authoringPrompts } from '../authoring/authoringPrompts.ts';
import { authoringResources, authoringTemplates, readAuthoring } from '../authoring/authoringResources.ts';
import { serveSkills, skillsCapability } from '../authoring/authoringSkill.ts';
import { authoringTools, callAuthoring } from '../authoring/authoringTools.ts';
import { httpRequestIn } from '../http/mcpRequest.ts';
import type { Rates } from '../http/rates.ts';
import { type GeneralOptions, callGeneral } from './callGeneral.ts';
import { canPut } from './elicitation.ts';
import { generalToolsFor } from './generalTools.ts';
import { listedRuns } from './listedRuns.ts';
import { mistakesAsResult, nextAfterMistake } from './nextAfterMistake.ts';
import { type RunEventOptions, eventsCapability, serveRunEvents } from './runEvents.ts';
import { runIdOf, uriOf } from './runUris.ts';
import { wholeRun } from './shownRun.ts';
import { type SubscriptionOptions, serveSubscriptions } from './subscriptions.ts';
import { serveTasks, tasksExtension } from './tasks.ts';
import { type ClientRequest, type WorkflowCallRequest, WorkflowCalls } from './workflowCall.ts';
import type { WorkflowTools } from './workflowTools.ts';

export interface McpOptions extends SubscriptionOptions, AuthorOptions, GeneralOptions, RunEventOptions {
  readonly rates: Pick<Rates, 'checkWorkflow'>;
  readonly offers: WorkflowTools;
  readonly version: string;
}

/** Of Baton itself. No workflow can have one of these names. */
const ownNames = [...generalNames, ...authoringNames].join(', ');

const instructions = `Every tool but these is a workflow: ${ownNames}. A call of a workflow waits for its run for a while; after that it returns the id of the run, and get_run shows the result.`;

/** Only for a key that may deploy. */
const authoringInstructions =
  ' To write a workflow, read the resource baton://language first, or call read_language (baton://docs/idioms and others have more); then find_tools, check_workflow, try_workflow, deploy_workflow. When a run has failed: explain_run, then repair_workflow.';

/** The client's session: one connection has one server, or, from 2026-07-28, one request. */
export type Era = 'legacy' | 'modern';

export function createMcpServer(options: McpOptions, principal: Principal, era: Era): Server {
  const { offers, version } = options;
  const calls = new WorkflowCalls(options);
  const mayAuthor = may(principal, ['workflows:write']);
  const server = new Server(
    { name: 'baton', title: 'Baton', version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        ...(mayAuthor ? { prompts: {} } : {}),
        ...extensionsOf(era, mayAuthor, eventsCapability(options, principal)),
      },
      instructions: mayAuthor ? instructions + authoringInstructions : instructions,
      inputRequired: { legacyShim: false },
      // Cached briefly, for one key only.
      cacheHints: { 'tools/list': { ttlMs: 5_000, cacheScope: 'private' } },
    },
  );
  const clientRequestOf = (context: ServerContext): ClientRequest => {
    const able = capabilitiesOf(server, context);
    return {
      principal,
      context,
      canAsk: (question) => canPut(able?.elicitation, question),
      canSample: able?.sampling !== undefined,
      canTask: era === 'modern' && able?.extensions?.[tasksExtension] !== undefined,
    };
  };
  server.setRequestHandler('tools/list', async () => {
    const offered = may(principal, ['runs:write']) ? await offers.list(principal) : [];
    const authoring = mayAuthor ? authoringTools : [];
    return {
      tools: [
        ...generalToolsFor(principal),
        ...authoring,
        ...offered.map(({ tool }) => tool).filter(({ name }) => !isReserved(name)),
      ],
    };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name } = params;
    const given = (params.arguments ?? {}) as JsonObject;
    const asked: WorkflowCallRequest = {
      ...clientRequestOf(context),
      tool: name,
      isAskedDuringCall: era === 'legacy',
    };
    const call = async () => {
      if (isGeneral(name)) return callGeneral(options, calls, name, given, asked);
      if (isAuthoring(name) && mayAuthor) return callAuthoring(authorOf(options, principal, context), name, given);
      const offer = await offers.find(principal, name);
      if (offer === undefined) throw unknownTool(name);
      checkScopes(principal, ['runs:write']);
      return calls.call(offer.workflow, given, asked);
    };
    return mistakesAsResult(call, (problem) => nextAfterMistake(name, problem));
  });
  serveResources(server, options, principal, mayAuthor);
  serveRunEvents(server, options, principal);
  if (mayAuthor) serveSkills(server, era === 'modern' ? { ttlMs: 3_600_000, cacheScope: 'public' } : {});
  if (era === 'modern') serveTasks(server, options, (context) => requireTaskSupport(clientRequestOf(context)));
  else serveSubscriptions(server, options, principal);
  return server;
}

function extensionsOf(era: Era, mayAuthor: boolean, events: object): Pick<ServerCapabilities, 'extensions'> {
  const tasks = era === 'modern' ? { [tasksExtension]: {} } : {};
  const skills = mayAuthor ? skillsCapability : {};
  const extensions = { ...tasks, ...skills, ...events };
  return Object.keys(extensions).length > 0 ? { extensions } : {};
}

/** Runs, and the resources for authors. */
function serveResources(server: Server, options: McpOptions, principal: Principal, mayAuthor: boolean): void {
  const run = { name: 'run', title: 'A run', uriTemplate: uriOf('{id}'), mimeType: 'application/json' };
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      ...(await listedRuns(options, principal)),
      ...(mayAuthor ? await authoringResources(options, principal) : []),
    ],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [run, ...(mayAuthor ? authoringTemplates : [])],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    try {
      const authoring = mayAuthor ? await readAuthoring(options, uri, principal) : undefined;
      if (authoring !== undefined) return { contents: [{ uri, ...authoring }] };
      const runId = runIdOf(uri);
      if (runId === '') throw new ProblemError('not-found', noResource(uri));
      const shown = await wholeRun(options, principal, runId);
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(shown) }] };
    } catch (error) {
      if (error instanceof ProblemError)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri });
      throw error;
    }
  });
  if (!mayAuthor) return;
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...authoringPrompts] }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) => {
    try {
      return authoringPrompt(name, given);
    } catch (error) {
      if (error instanceof ProblemError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
      throw error;
    }
  });
}

function authorOf(options: McpOptions, principal: Principal, context: ServerContext): Author {
  const { request } = httpRequestIn(context.http?.authInfo);
  return new Author(options, {
    principal,
    count: () => options.rates.checkWorkflow(request),
    // What it explains, repairs or learns from shows the run.
    eventsOf: (id) => control.listRunEvents(options, principal, { id }),
  });
}

/** Throws `ProtocolError` if the client did not declare that it supports tasks. */
function requireTaskSupport(asked: ClientRequest): ClientRequest {
  if (asked.canTask) return asked;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

/** A client declares its capabilities in each request; before 2026-07-28, only in the first. */
function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const inRequest = (mcpReq.envelope as Partial<Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] as ClientCapabilities | undefined;
  return inRequest ?? server.getClientCapabilities();
}

const noResource = (uri: string): string => `There is no resource ${JSON.stringify(uri.slice(0, 80))}.`;

const unknownTool = (name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name.slice(0, 80))}.`, {
    name: name.slice(0, 80),
  });

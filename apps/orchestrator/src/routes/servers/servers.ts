/** Routes of the configured MCP servers and their tools, prompts and resources. */
import { type AnswerOf, type Server, routes, ProblemError, instant } from '@baton/api';
import type { ServerChange } from '@baton/boot';
import { policyOf, effectOf, answerFor, readsAllRuns, type Principal } from '@baton/control';
import { didYouMean } from '@baton/expressions';
import { defined, withHint } from '@baton/primitives';
import type { ServersConfig, Catalogue, ServerStatus } from '@baton/protocol';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { type ApproveServerOptions, approveServerRoute } from './approveServer.ts';
import { serverLoginRoutes } from './serverLogin.ts';
import { serverStatsRoute } from './serverStats.ts';
import { tryServerRoute } from './tryServer.ts';

export interface ServerOptions extends Pick<ApproveServerOptions, 'store' | 'secrets' | 'checker'> {
  readonly config: ServersConfig;
  readonly servers: Servers;
  /** Announces servers whose configuration changed. Absent: it never changes. */
  readonly onDisk?: (() => Promise<ReadonlyMap<string, ServerChange>>) | undefined;
}

export function serverRoutes(app: App, options: ServerOptions): void {
  const { servers } = options;
  route(app, routes.listServers, async ({ principal }) => {
    const onDisk = await differing(options);
    const used = servers.status().map((one) => shownServer(one, onDisk.get(one.name), principal));
    return { data: [...used, ...addedOnly(onDisk)] };
  });
  route(app, routes.getServer, async ({ params: { name }, principal }) =>
    shownServer(statusOf(options, name), (await differing(options)).get(name), principal),
  );
  serverStatsRoute(app, { ...options, statusOf: (name) => statusOf(options, name) });
  offerRoutes(app, options);
  const nameOf = (name: string): string => statusOf(options, name).name;
  tryServerRoute(app, { servers, nameOf });
  serverLoginRoutes(app, { store: options.store, servers, nameOf });
  approveServerRoute(app, { ...options, nameOf });
}

function offerRoutes(app: App, options: ServerOptions): void {
  route(app, routes.listTools, async ({ params: { name }, principal }) => {
    const { tools, leftOut } = await catalogueOf(options, name, principal);
    const policy = policyOf(options.config, name);
    return { data: tools.map((tool) => shownTool(tool, policy)), leftOut: [...leftOut] };
  });
  route(app, routes.listPrompts, async ({ params: { name }, principal }) => {
    const { prompts } = await catalogueOf(options, name, principal);
    return { data: prompts.map((prompt) => ({ ...names(prompt), arguments: [...prompt.arguments] })) };
  });
  route(app, routes.listResources, async ({ params: { name }, principal }) => {
    const { resources, resourceTemplates } = await catalogueOf(options, name, principal);
    const templates = resourceTemplates.map((one) => ({ ...names(one), uriTemplate: one.uriTemplate }));
    return { data: [...resources.map((one) => ({ ...names(one), uri: one.uri, ...typed(one) })), ...templates] };
  });
}

/** Throws `ProblemError` for an unknown server. */
function statusOf({ servers }: ServerOptions, name: string): ServerStatus {
  const all = servers.status();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const hint = didYouMean(
    name,
    all.map((one) => one.name),
  );
  const detail = `No server ${JSON.stringify(name.slice(0, 80))} is configured.`;
  throw new ProblemError('not-found', withHint(detail, hint));
}

/** Rejects with `FailureError` if the server does not answer. */
const catalogueOf = (options: ServerOptions, name: string, principal: Principal): Promise<Catalogue> =>
  answerFor(principal, options.servers.catalogue(statusOf(options, name).name));

const differing = async ({ onDisk }: ServerOptions): Promise<ReadonlyMap<string, ServerChange>> =>
  (await onDisk?.()) ?? new Map();

const addedOnly = (onDisk: ReadonlyMap<string, ServerChange>): Server[] =>
  [...onDisk].flatMap(([name, { change, type }]) =>
    change === 'added' ? [{ name, type, state: 'disabled' as const, onDisk: change }] : [],
  );

function shownServer(
  { name, type, state, protocolVersion, server, lastError }: ServerStatus,
  onDisk: ServerChange | undefined,
  principal: Principal,
): Server {
  const error = readsAllRuns(principal) ? lastError : undefined;
  return {
    name,
    type,
    state,
    ...defined({ protocolVersion, server }),
    ...(error === undefined ? {} : { lastError: shownError(error) }),
    ...(onDisk === undefined ? {} : { onDisk: onDisk.change }),
  };
}

const shownError = ({
  at,
  code,
  message,
}: NonNullable<ServerStatus['lastError']>): NonNullable<Server['lastError']> => ({
  at: instant(at),
  code,
  message,
});

type ToolAnswer = AnswerOf<typeof routes.listTools>['data'][number];

function shownTool(tool: Catalogue['tools'][number], policy: Parameters<typeof effectOf>[2]): ToolAnswer {
  const { effect, from } = effectOf(tool.name, tool, policy);
  const { inputSchema, outputSchema, annotations, digests } = tool;
  return {
    ...names(tool),
    effect,
    effectFrom: from,
    inputSchema,
    ...defined({ outputSchema, annotations }),
    digests,
  };
}

interface NamedItem {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

const names = ({ name, title, description }: NamedItem) => ({
  name,
  ...defined({ title, description }),
});

const typed = ({ mimeType }: { readonly mimeType?: string | undefined }) =>
  mimeType === undefined ? {} : { mimeType };

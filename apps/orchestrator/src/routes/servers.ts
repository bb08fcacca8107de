/** The configured MCP servers, and what they offer. */
import type { OnDisk } from '@baton/boot';
import { didYouMean } from '@baton/language';
import type { ServersConfig } from '@baton/protocol';
import type { Catalogue, Servers, ServerStatus } from '@baton/transports';
import * as z from 'zod';

import { effectOf } from '../deploy/pins.ts';
import { policyOf } from '../deploy/serverBook.ts';
import type { Access, App } from '../http/edge.ts';
import { ProblemError } from '../http/problem.ts';
import { AnyValue, Instant, instant, pageOf } from '../shapes/values.ts';
import type { ServerApproveOptions } from './serverApprove.ts';
import { serverApproveRoute } from './serverApprove.ts';
import { serverLoginRoutes } from './serverLogin.ts';
import { serverTestRoute } from './serverTest.ts';

const tags = ['Servers'];
const access: Access = ['servers:read', 'servers:approve', 'workflows:write'];

const LastError = z.strictObject({ at: Instant, code: z.string(), message: z.string() });

const Server = z
  .strictObject({
    name: z.string(),
    type: z.string(),
    state: z.enum(['disabled', 'idle', 'opening', 'ready', 'failing', 'resting']).meta({
      description:
        'As this process sees it. `idle`: nobody has needed it yet. `failing`: it could not be opened. `resting`: it failed so often that it is left alone for a while.',
    }),
    protocolVersion: z.string().optional(),
    server: AnyValue.optional().meta({ description: 'How it introduced itself.' }),
    lastError: LastError.optional(),
    onDisk: z.enum(['added', 'changed', 'removed']).optional().meta({
      description: 'The configuration file says something else by now than what is used: restart to use it.',
    }),
  })
  .meta({ id: 'Server' });

const described = { name: z.string(), title: z.string().optional(), description: z.string().optional() };

const Tool = z
  .strictObject({
    ...described,
    effect: z.enum(['read', 'idempotent', 'write']),
    effectFrom: z
      .string()
      .meta({ description: 'Who says so: the configuration, the server’s annotations, or nobody.' }),
    inputSchema: AnyValue,
    outputSchema: AnyValue.optional(),
    annotations: AnyValue.optional(),
    digests: AnyValue.meta({ description: 'Of its contract and of its text, by which a change is noticed.' }),
  })
  .meta({ id: 'Tool' });

const Prompt = z.strictObject({ ...described, arguments: z.array(AnyValue) }).meta({ id: 'Prompt' });

const Resource = z
  .strictObject({
    ...described,
    uri: z.string().optional(),
    uriTemplate: z.string().optional(),
    mimeType: z.string().optional(),
  })
  .meta({ id: 'Resource', description: 'With `uri`, or, a template, with `uriTemplate`.' });

const ByName = z.strictObject({ name: z.string() });

export interface ServerOptions extends Pick<ServerApproveOptions, 'store' | 'checker'> {
  readonly config: ServersConfig;
  readonly servers: Servers;
  /** Servers whose configuration is another by now. Absent: it stays what it is. */
  readonly onDisk?: (() => Promise<ReadonlyMap<string, OnDisk>>) | undefined;
}

export function serverRoutes(app: App, options: ServerOptions): void {
  const { servers } = options;
  app.get(
    '/v1/servers',
    { config: { access }, schema: { tags, summary: 'List the MCP servers', response: { 200: pageOf(Server) } } },
    async () => {
      const onDisk = await differing(options);
      const used = servers.status().map((one) => shownServer(one, onDisk.get(one.name)));
      return { data: [...used, ...addedOnly(onDisk)] };
    },
  );
  app.get(
    '/v1/servers/:name',
    { config: { access }, schema: { tags, summary: 'Show an MCP server', params: ByName, response: { 200: Server } } },
    async ({ params: { name } }) => shownServer(statusOf(options, name), (await differing(options)).get(name)),
  );
  offerRoutes(app, options);
  const nameOf = (name: string): string => statusOf(options, name).name;
  serverTestRoute(app, { servers, nameOf });
  serverLoginRoutes(app, { store: options.store, servers, nameOf });
  serverApproveRoute(app, { ...options, nameOf });
}

function offerRoutes(app: App, options: ServerOptions): void {
  app.get(
    '/v1/servers/:name/tools',
    {
      config: { access },
      schema: { tags, summary: 'The tools of a server', params: ByName, response: { 200: pageOf(Tool) } },
    },
    async ({ params: { name } }) => {
      const { tools } = await catalogueOf(options, name);
      const policy = policyOf(options.config, name);
      return { data: tools.map((tool) => shownTool(tool, policy)) };
    },
  );
  app.get(
    '/v1/servers/:name/prompts',
    {
      config: { access },
      schema: { tags, summary: 'The prompts of a server', params: ByName, response: { 200: pageOf(Prompt) } },
    },
    async ({ params: { name } }) => {
      const { prompts } = await catalogueOf(options, name);
      return { data: prompts.map((prompt) => ({ ...names(prompt), arguments: [...prompt.arguments] })) };
    },
  );
  app.get(
    '/v1/servers/:name/resources',
    {
      config: { access },
      schema: {
        tags,
        summary: 'The resources and resource templates of a server',
        params: ByName,
        response: { 200: pageOf(Resource) },
      },
    },
    async ({ params: { name } }) => {
      const { resources, resourceTemplates } = await catalogueOf(options, name);
      const templates = resourceTemplates.map((one) => ({ ...names(one), uriTemplate: one.uriTemplate }));
      return { data: [...resources.map((one) => ({ ...names(one), uri: one.uri, ...typed(one) })), ...templates] };
    },
  );
}

/** Throws `ProblemError` where there is no such server. */
function statusOf({ servers }: ServerOptions, name: string): ServerStatus {
  const all = servers.status();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const hint = didYouMean(
    name,
    all.map((one) => one.name),
  );
  const detail = `No server ${JSON.stringify(name.slice(0, 80))} is configured.`;
  throw new ProblemError(
    'not-found',
    hint === undefined ? detail : `${detail} ${hint[0]?.toUpperCase()}${hint.slice(1)}`,
  );
}

/** Rejects with `FailureError` where the server does not answer. */
const catalogueOf = (options: ServerOptions, name: string): Promise<Catalogue> =>
  options.servers.catalogue(statusOf(options, name).name);

const differing = async ({ onDisk }: ServerOptions): Promise<ReadonlyMap<string, OnDisk>> =>
  (await onDisk?.()) ?? new Map();

const addedOnly = (onDisk: ReadonlyMap<string, OnDisk>): z.infer<typeof Server>[] =>
  [...onDisk].flatMap(([name, { change, type }]) =>
    change === 'added' ? [{ name, type, state: 'disabled' as const, onDisk: change }] : [],
  );

function shownServer(
  { name, type, state, protocolVersion, server, lastError }: ServerStatus,
  onDisk: OnDisk | undefined,
): z.infer<typeof Server> {
  return {
    name,
    type,
    state,
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(server === undefined ? {} : { server }),
    ...(lastError === undefined ? {} : { lastError: shownError(lastError) }),
    ...(onDisk === undefined ? {} : { onDisk: onDisk.change }),
  };
}

const shownError = ({ at, code, message }: NonNullable<ServerStatus['lastError']>): z.infer<typeof LastError> => ({
  at: instant(at),
  code,
  message,
});

function shownTool(tool: Catalogue['tools'][number], policy: Parameters<typeof effectOf>[2]): z.infer<typeof Tool> {
  const { effect, from } = effectOf(tool.name, tool, policy);
  const { inputSchema, outputSchema, annotations, digests } = tool;
  return {
    ...names(tool),
    effect,
    effectFrom: from,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    digests,
  };
}

interface Named {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

const names = ({ name, title, description }: Named) => ({
  name,
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
});

const typed = ({ mimeType }: { readonly mimeType?: string | undefined }) =>
  mimeType === undefined ? {} : { mimeType };

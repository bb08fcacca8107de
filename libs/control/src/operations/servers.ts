/** Operations of the configured MCP servers and their tools, prompts and resources. */
import { hostname } from 'node:os';

import {
  type AnswerOf,
  type Received,
  type Server,
  type ServerLogin,
  type ServerLogout,
  type ServerStats,
  routes,
  ProblemError,
  instant,
} from '@baton/api';
import type { ServerChange } from '@baton/boot';
import { calledName, FailureError } from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import type { ResolvedDeclaration } from '@baton/language';
import { defined, withHint } from '@baton/primitives';
import {
  type Catalogue,
  type ServerPolicy,
  type ServersConfig,
  type ServerSight,
  type ServerStatus,
  serverSight,
} from '@baton/protocol';
import { liveness } from '@baton/runner';
import {
  type DeployedPinsReader,
  type RecordedCall,
  type WorkerSummary,
  callsOfRuns,
  listWorkers,
  noteServerAccess,
  runIds,
} from '@baton/store';
import type { Servers } from '@baton/transports';

import { approve, previewApproval } from '../deploy/approve.ts';
import { policyOf } from '../deploy/catalogueCache.ts';
import { declarationsIn } from '../deploy/declarationsIn.ts';
import type { DeployParts } from '../deploy/deployedWorkflows.ts';
import type { DriftOverview, WorkflowDrift } from '../deploy/driftOverview.ts';
import { effectOf } from '../deploy/pins.ts';
import { answerFor, reachedOf, reachesServer, reachOf, readsAllRuns } from '../keys/keyAccess.ts';
import { personBehind } from '../keys/personBehind.ts';
import { type Principal, checkScopes, may } from '../keys/scopes.ts';
import { percentile } from '../shapes/percentile.ts';
import { ofInstallation, operation } from './operation.ts';
import { allReached } from './reach.ts';

interface ServerParts extends DeployParts {
  readonly config: ServersConfig;
  readonly servers: Servers;
  readonly drift: DriftOverview;
  readonly deployedPins: DeployedPinsReader;
  /** Announces servers whose configuration changed. Absent: it never changes. */
  readonly onDisk?: (() => Promise<ReadonlyMap<string, ServerChange>>) | undefined;
}

interface ByName {
  readonly name: string;
}

export const listServers = ofInstallation(routes.listServers, async (parts: ServerParts, _input: unknown, caller) => {
  const [onDisk, drifts] = await Promise.all([differing(parts), parts.drift.of(caller)]);
  const used = await Promise.all(
    reachedServers(parts, caller).map(async (one) => ({
      ...shownServer(parts, one, onDisk.get(one.name), caller),
      ...(await ownLoginAt(parts, one.name, caller)),
      ...driftAt(one.name, drifts),
    })),
  );
  return { data: [...used, ...(caller.workflows === undefined ? addedOnly(onDisk) : [])] };
});

export const getServer = ofInstallation(routes.getServer, async (parts: ServerParts, input: ByName, caller) => ({
  ...shownServer(parts, serverStatus(parts, caller, input), (await differing(parts)).get(input.name), caller),
  ...(await ownLoginAt(parts, input.name, caller)),
  ...driftAt(input.name, await parts.drift.of(caller)),
}));

export const listTools = ofInstallation(routes.listTools, async (parts: ServerParts, input: ByName, caller) => {
  const catalogue = await catalogueOf(parts, caller, input);
  const policy = policyOf(parts.config, input.name);
  const declarations = declarationsIn(input.name, catalogue, policy);
  const data = catalogue.tools.map((tool) => shownTool(tool, policy, declarations(input.name, tool.name)));
  const events = catalogue.events?.map(({ delivery, inputSchema, payloadSchema, ...one }) => ({
    ...names(one),
    delivery,
    inputSchema,
    payloadSchema,
  }));
  return { data, leftOut: [...catalogue.leftOut], ...defined({ events }) };
});

export const listPrompts = ofInstallation(routes.listPrompts, async (parts: ServerParts, input: ByName, caller) => {
  const { prompts } = await catalogueOf(parts, caller, input);
  return { data: prompts.map((prompt) => ({ ...names(prompt), arguments: [...prompt.arguments] })) };
});

export const listResources = ofInstallation(routes.listResources, async (parts: ServerParts, input: ByName, caller) => {
  const { resources, resourceTemplates } = await catalogueOf(parts, caller, input);
  const templates = resourceTemplates.map((one) => ({ ...names(one), uriTemplate: one.uriTemplate }));
  return { data: [...resources.map((one) => ({ ...names(one), uri: one.uri, ...typed(one) })), ...templates] };
});

/** Connects and lists, and calls no tool. */
export const testServer = ofInstallation(routes.testServer, async (parts: ServerParts, input: ByName, caller) => {
  const { name } = serverStatus(parts, caller, input);
  const tested = await answerFor(caller, parts.servers.test(name, personBehind(caller)));
  const { protocolVersion, server, tools, prompts, resources, resourceTemplates, problems } = tested;
  return {
    name,
    protocolVersion,
    ...defined({ server }),
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length + resourceTemplates.length,
    problems: [...problems],
    ...driftAt(name, await parts.drift.of(caller, { isFresh: true })),
  };
});

/** With OAuth: a person agrees in a browser, which then returns here. */
export const loginToServer = ofInstallation(
  routes.loginToServer,
  async (parts: ServerParts, input: ByName, caller): Promise<ServerLogin> => {
    const name = await loginNameOf(parts, caller, input);
    const url = await parts.servers.login(name, personBehind(caller));
    await noteServerAccess(parts.store, 'server.login', name, caller.by);
    return url === undefined ? { status: 'connected' } : { url };
  },
);

export const logoutOfServer = ofInstallation(
  routes.logoutOfServer,
  async (parts: ServerParts, input: ByName, caller): Promise<ServerLogout> => {
    const name = await loginNameOf(parts, caller, input);
    const { wasLoggedIn, problem } = await parts.servers.logout(name, personBehind(caller));
    if (!wasLoggedIn) return { status: 'not-logged-in' };
    await noteServerAccess(parts.store, 'server.logout', name, caller.by);
    return { status: 'logged-out', ...defined({ problem }) };
  },
);

/** Approves its current tools, for the workflows that the key may change. */
export const approveServer = operation(routes.approveServer, {
  reach: allReached,
  effects: 'for-each',
  perform: async (
    parts: ServerParts,
    principal,
    { order, ...input }: ByName & { readonly order: Received<typeof routes.approveServer>['body'] },
  ) => {
    const { name } = serverStatus(parts, principal, input);
    const { digest, workflows } =
      order?.preview === true
        ? await previewApproval(parts, name, principal)
        : await approve(parts, name, { principal, digest: digestIn(order) });
    const data = workflows.map(({ changes, ...rest }) => ({
      ...rest,
      changes: changes.map((one) => ({ ...one, changes: [...one.changes] })),
    }));
    return { digest, data };
  },
});

/** Throws `ProblemError`: what is approved was shown before. */
function digestIn(order: Received<typeof routes.approveServer>['body']): string {
  if (order?.digest !== undefined) return order.digest;
  const message = '`digest` is missing: send the digest of what is approved, which `preview` returns.';
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/digest', code: 'missing-member', message }],
  });
}

/** For a person who may log in (`loginNameOf`). */
async function ownLoginAt(
  { servers, config }: Pick<ServerParts, 'servers' | 'config'>,
  name: string,
  caller: Principal,
): Promise<Pick<Server, 'ownLogin'>> {
  const person = personBehind(caller);
  // A device is not configured.
  if (person === undefined || !config.servers.has(name) || !servers.hasOwnLogins(name)) return {};
  if (!may(caller, routes.loginToServer.access)) return {};
  try {
    const isAbsent = servers.mayLackLogin(name, person) && (await servers.lacksLogin(name, person));
    return { ownLogin: isAbsent ? 'absent' : 'present' };
  } catch (error) {
    // A configuration that refers to a secret that is absent hides no server.
    if (error instanceof FailureError) return {};
    throw error;
  }
}

async function loginNameOf(parts: ServerParts, caller: Principal, input: ByName): Promise<string> {
  // A person logs in and out for themselves; the login of the installation is that of all others.
  if (personBehind(caller) === undefined) checkScopes(caller, ['servers:approve']);
  const { name } = serverStatus(parts, caller, input);
  if (!parts.servers.hasOwnLogins(name)) checkScopes(caller, ['servers:approve']);
  if (await parts.servers.takesLogins(name)) return name;
  const detail = `The server "${name}" takes no log-in: it is a process, or its token is configured.`;
  throw new ProblemError('conflict', detail);
}

/** Those that exist for the caller. */
const reachedServers = ({ servers, config }: ServerParts, caller: Principal): readonly ServerStatus[] =>
  servers.status().filter(({ name }) => reachesServer(caller, policyOf(config, name).allow));

/** Throws `ProblemError` for an unknown server. */
function serverStatus(parts: ServerParts, caller: Principal, { name }: ByName): ServerStatus {
  const all = reachedServers(parts, caller);
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
const catalogueOf = (parts: ServerParts, caller: Principal, input: ByName): Promise<Catalogue> =>
  answerFor(caller, parts.servers.catalogue(serverStatus(parts, caller, input).name, undefined, personBehind(caller)));

const differing = async ({ onDisk }: ServerParts): Promise<ReadonlyMap<string, ServerChange>> =>
  (await onDisk?.()) ?? new Map();

const addedOnly = (onDisk: ReadonlyMap<string, ServerChange>): Server[] =>
  [...onDisk].flatMap(([name, { change, type }]) =>
    change === 'added' ? [{ name, type, state: 'disabled' as const, onDisk: change }] : [],
  );

function shownServer(
  { config }: Pick<ServerParts, 'config'>,
  { name, type, state, protocolVersion, server, lastError }: ServerStatus,
  onDisk: ServerChange | undefined,
  principal: Principal,
): Server {
  const error = readsAllRuns(principal) ? lastError : undefined;
  const { allow } = policyOf(config, name);
  return {
    name,
    type,
    state,
    ...defined({ protocolVersion, server }),
    ...(allow === undefined ? {} : { allow: [...reachedOf(principal, allow)] }),
    ...(error === undefined ? {} : { lastError: shownError(error) }),
    ...(onDisk === undefined ? {} : { onDisk: onDisk.change }),
  };
}

function driftAt(server: string, drifts: readonly WorkflowDrift[]): Pick<Server, 'drift'> {
  const own = drifts.filter(({ servers }) => servers.includes(server));
  if (own.length === 0) return {};
  return {
    drift: own.map(({ workflow, version, blockedBy }) => ({
      workflow,
      version,
      ...(blockedBy.includes(server) && { blocked: true }),
    })),
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

function shownTool(
  tool: Catalogue['tools'][number],
  policy: ServerPolicy,
  declared: ResolvedDeclaration | undefined,
): ToolAnswer {
  const { effect, from } = effectOf(tool.name, tool, policy);
  const { inputSchema, outputSchema, annotations, digests } = tool;
  return {
    ...names(tool),
    effect,
    effectFrom: from,
    inputSchema,
    ...defined({ outputSchema, annotations, declared }),
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

type ProcessSight = ServerStats['processes'][number];

const runsMax = 200;
const callsMax = 2_000;

/** Of the calls of workflows that the key may see. */
export const getServerStats = operation(routes.getServerStats, {
  reach: allReached,
  effects: 'none',
  perform: async (parts: ServerParts, caller, input: ByName) => {
    const { store } = parts;
    const status = serverStatus(parts, caller, input);
    const { name } = status;
    const workflows = reachOf(caller);
    const { ids } = await runIds(store, { server: name, ...defined({ workflows }) }, { limit: runsMax });
    const calls = await callsOfRuns(store, { server: name }, ids, callsMax);
    const workers = await listWorkers(store, liveness.silentMs);
    // A process that also drives has one pool of sessions, and knows it better than its last report does.
    const own = workers.find(isThisProcess)?.id ?? 'orchestrator';
    const others = workers.filter((worker) => !isThisProcess(worker));
    const sights = [toProcessSight(own, serverSight(status)), ...seenByWorkers(others, name)];
    const processes = readsAllRuns(caller) ? sights : sights.map(withoutWords);
    return {
      name,
      // Load is of the runs of all workflows.
      processes: workflows === undefined ? processes : [],
      calls: calls.length,
      failed: calls.filter(({ end }) => end?.code !== undefined).length,
      ...latencyOf(calls),
      tools: toolsIn(calls),
    };
  },
});

const isThisProcess = ({ host, pid }: WorkerSummary): boolean => host === hostname() && pid === process.pid;

const seenByWorkers = (workers: readonly WorkerSummary[], name: string): ProcessSight[] =>
  workers.flatMap(({ id, servers = [] }) =>
    (servers as unknown as readonly ServerSight[])
      .filter((one) => one.name === name)
      .map((one) => toProcessSight(id, one)),
  );

const withoutWords = ({ stderr: _stderr, lastError: _lastError, ...sight }: ProcessSight): ProcessSight => sight;

const toProcessSight = (process: string, { name: _name, ...sight }: ServerSight): ProcessSight => ({
  process,
  ...sight,
});

function latencyOf(calls: readonly RecordedCall[]): Pick<ServerStats, 'p50Ms' | 'p95Ms'> {
  const durations = calls.flatMap(({ at, end }) => (end === undefined ? [] : end.at - at));
  const [p50Ms, p95Ms] = [0.5, 0.95].map((part) => percentile(durations, part));
  return defined({ p50Ms, p95Ms });
}

/** Ordered by name. */
function toolsIn(calls: readonly RecordedCall[]): ServerStats['tools'] {
  const byTool = Map.groupBy(calls, ({ call }) => calledName(call) ?? '');
  return [...byTool]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([tool, own]) => {
      return {
        tool,
        calls: own.length,
        ...latencyOf(own),
        outcomes: countedBy(own.map(({ end }) => end?.outcome ?? 'under-way')),
        errors: countedBy(own.flatMap(({ end }) => end?.code ?? [])),
      };
    });
}

function countedBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Opens the servers of `mcp.json`: nothing starts before it is needed, and closing leaves nothing behind. */
import { isDeepStrictEqual } from 'node:util';

import { type RunPerson, InvariantError } from '@baton/engine';
import { Semaphore, defined } from '@baton/primitives';
import type { Catalogue, HttpServerConfig, Lookups, ServerConfig, ServersConfig, Tool } from '@baton/protocol';
import { KnownSecrets, systemClock, type Clock, type KeyValues, type ServerGroup, type Calls } from '@baton/runner';

import { builtinConnector } from '../builtin/builtinConnector.ts';
import { heldToPins } from '../catalogue/heldToPins.ts';
import type { AddressPolicy, LookUpAll } from '../http/addresses.ts';
import { HttpClient } from '../http/httpClient.ts';
import { httpConnector } from '../http/httpConnector.ts';
import { proxyOf } from '../http/proxy.ts';
import { ServerHttpClient, type HttpClients, type Fetcher } from '../http/serverHttpClient.ts';
import type { Connector } from '../link/link.ts';
import type { LogoutResult, Unconfirmed } from '../oauth/grant.ts';
import { Grants } from '../oauth/grants.ts';
import { type Login, readState } from '../oauth/login.ts';
import type { RevocationProblem } from '../oauth/revoke.ts';
import type { OAuthOptions } from '../oauth/tokenStore.ts';
import type { Completion, CompletionRequest } from '../session/completion.ts';
import type { Handlers } from '../session/handlers.ts';
import type { SessionLimits } from '../session/limits.ts';
import { unmeasured, type ServerMetricsPort } from '../session/serverMetricsPort.ts';
import type { SharedResources } from '../session/sessionOpener.ts';
import type { ResourceUpdate, Subscription } from '../session/subscriptions.ts';
import type { Environment } from '../stdio/environment.ts';
import { findGuard } from '../stdio/guard.ts';
import { stdioConnector } from '../stdio/stdioConnector.ts';
import { callsOver } from './calls.ts';
import { type AllowOf, heldToWorkflows, servingCheck, usableServer } from './heldToWorkflows.ts';
import { LoginServers } from './loginServers.ts';
import { Server, hasOwnLogins } from './server.ts';
import { type ServerEvents, serverEvents } from './serverEvents.ts';

interface ConfiguredServers extends ServerGroup {
  test(name: string, person?: RunPerson): Promise<Catalogue>;
}

/** A configured server hides a device of the same name. */
function withDevices<Own extends ConfiguredServers>(own: Own, devices: ServerGroup): Own {
  const isDevice = (name: string): boolean => !own.names.includes(name);
  const callsFor = (name: string): Calls => (isDevice(name) ? devices : own).calls;
  return {
    ...own,
    calls: {
      callTool: (call, context) => callsFor(call.server).callTool(call, context),
      getPrompt: (call, context) => callsFor(call.server).getPrompt(call, context),
      readResource: (call, context) => callsFor(call.server).readResource(call, context),
      release(runId) {
        own.calls.release(runId);
        devices.calls.release(runId);
      },
    },
    get names() {
      return [...own.names, ...devices.names.filter(isDevice)];
    },
    catalogue: (name, ...how) => (isDevice(name) ? devices : own).catalogue(name, ...how),
    status: () => [...own.status(), ...devices.status().filter(({ name }) => isDevice(name))],
    test: (name, person) => (isDevice(name) ? devices.catalogue(name) : own.test(name, person)),
    async close() {
      await Promise.all([own.close(), devices.close()]);
    },
  };
}

export interface ServersOptions {
  /** This process's environment: `${env:…}` refers to it, and stdio servers inherit a few of its variables. */
  readonly environment: Environment;
  /** Looks up `${secret:…}`. */
  readonly secret: Lookups['secret'];
  /** Folder of the configuration file: relative paths begin there. */
  readonly root: string;
  readonly version: string;
  /** Set in the environment of every server process, so that a process that outlives this one can be found. */
  readonly mark?: string;
  /** Policy for addresses in the configuration. Absent: this machine is allowed, private networks are not. */
  readonly addresses?: AddressPolicy;
  /** Finds the addresses of a name. Absent: the system's. */
  readonly lookup?: LookUpAll;
  /** Absent: no server may ask for anything. */
  readonly handlers?: Handlers;
  readonly measures?: ServerMetricsPort;
  /** Secrets to remove from messages of servers, besides the server's own. */
  readonly known?: KnownSecrets;
  /** Absent: no server can be logged in to. */
  readonly oauth?: OAuthOptions;
  /** A server's lists of tools, prompts or resources have changed. */
  readonly onCatalogueChanged?: (server: string) => void;
  /** What the built-in server `kv` reads and writes. Absent: its calls are refused. */
  readonly keyValues?: KeyValues;
  /** Absent: servers are asked for their events. */
  readonly withEvents?: boolean;
  /** Servers besides those of the configuration; closed with them. */
  readonly devices?: ServerGroup;
  /** Absent: the clock of this machine. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Replaces the default limits; a server's configuration takes precedence. */
  readonly limits?: Partial<SessionLimits>;
}

/** The login at `server` is there, or has to be confirmed first. */
interface FinishedLogin {
  readonly server: string;
  readonly unconfirmed?: Unconfirmed;
}

/** `person`: whose login is used, at a server where people have their own; absent: that of the installation. */
export interface Servers extends ServerGroup {
  /**
   * Replaces the configuration: servers that differ are opened anew, the others continue. A call under way ends on its
   * session.
   */
  reconfigure(configs: ReadonlyMap<string, ServerConfig>): void;
  /**
   * Reports each change of a resource until it is closed, however often the connection ends meanwhile. Resolves when the
   * server has agreed, as long as that takes; rejects with `FailureError` where it does not offer this, or refuses.
   */
  subscribe(name: string, uri: string, onUpdated: (update: ResourceUpdate) => void): Promise<Subscription>;
  /** Suggests values for an argument of a prompt or of a resource template. Rejects with `FailureError`. */
  complete(name: string, request: CompletionRequest): Promise<Completion>;
  /**
   * Whether a person may log in: not to a process, nor if the token is configured. Rejects with `FailureError`.
   */
  takesLogins(name: string): Promise<boolean>;
  /**
   * Begins a login. Resolves to the address where a person agrees, or undefined if no person is needed. Pass the query
   * of the redirect to `redirectUrl` to `finishLogin`, in this process or another. Rejects with `FailureError`.
   */
  login(name: string, person?: RunPerson): Promise<string | undefined>;
  /**
   * `answer`: the query of the redirect. A login of a person's own has to be confirmed: the answer is then passed once
   * more. Rejects with `FailureError`.
   */
  finishLogin(answer: URLSearchParams): Promise<FinishedLogin>;
  /**
   * Forgets the tokens of a login, and has them revoked where the authorization server offers that. This
   * process' sessions end with their last call; other processes notice within a minute. Rejects with `FailureError`.
   */
  logout(name: string, person?: RunPerson): Promise<LogoutResult>;
  /**
   * Revokes the tokens of a login of a person, which no call uses any more. `text`: what was saved of it last. Undefined: no
   * token of it is good any more. Rejects with `FailureError` where the server is not there, or takes no logins.
   */
  revoke(name: string, text: string): Promise<RevocationProblem | undefined>;
  /** Whether people have logins of their own there. */
  hasOwnLogins(name: string): boolean;
  /** False where the person surely has a login, or needs none of their own. */
  mayLackLogin(name: string, person: RunPerson): boolean;
  /** See `Server.lacksLogin`. Rejects with `FailureError` where there is no such server. */
  lacksLogin(name: string, person: RunPerson): Promise<boolean>;
  /** Reads the catalogue now, also while calls to the server are paused. Rejects with `FailureError`. */
  test(name: string, person?: RunPerson): Promise<Catalogue>;
  /** Asks configured servers for events. */
  readonly events: ServerEvents;
  /**
   * The tools of a configured server as last read with the login of the installation, however long ago; undefined before
   * the first reading.
   */
  listed(name: string): readonly Tool[] | undefined;
}

/** The largest message: the largest result, and its wrapping. */
const messageBytes = 17 * 1024 * 1024;
const patience = { eofMs: 500, termMs: 500 };
const startsAtOnce = 2;

export function openServers({ servers: configs }: ServersConfig, options: ServersOptions): Servers {
  const { environment, secret, root, handlers = {}, measures = unmeasured, limits = {}, clock = systemClock } = options;
  const known = options.known ?? new KnownSecrets();
  const clients = openHttpClients(options);
  const fetcherOf = (config: HttpServerConfig): Fetcher => new ServerHttpClient(clients, config);
  const grants = new Grants(options.oauth, fetcherOf, known);
  const surroundings: SharedResources = {
    client: { name: 'baton', version: options.version },
    handlers,
    root,
    withEvents: options.withEvents ?? true,
    measures,
    starts: new Semaphore(startsAtOnce),
    random: Math.random,
    now: () => clock.now(),
    connectorFor: connectors(options, { fetcherOf, clients, grants, known }),
    grants,
    known,
  };
  const lookups: Lookups = { env: (name) => environment[name], secret, workspaceFolder: root };
  const onCatalogueChanged = options.onCatalogueChanged ?? ((): void => {});
  const servers = new Map<string, LoginServers>();
  /** Servers of an earlier configuration that still have calls. */
  const retired = new Set<Server>();
  const reconfigure: Servers['reconfigure'] = (wanted) => {
    for (const [name, server] of servers) {
      if (isDeepStrictEqual(server.config, wanted.get(name))) continue;
      servers.delete(name);
      for (const one of server.all) {
        one.retire();
        retired.add(one);
      }
      onCatalogueChanged(name);
    }
    for (const [name, config] of wanted) {
      if (servers.has(name)) continue;
      const make = (login: Login | undefined): Server =>
        new Server(config, lookups, surroundings, limits, { login, onCatalogueChanged });
      servers.set(name, new LoginServers(config, make));
    }
  };
  reconfigure(configs);
  const named = (name: string, person?: RunPerson): Server => usableServer(servers, name).for(person);
  const all = (): Server[] => [...servers.values()].flatMap((one) => one.all);
  const allowOf: AllowOf = (name) => servers.get(name)?.config.policy.allow;
  const own: Servers = {
    events: serverEvents({ serverNamed: named, check: servingCheck(allowOf) }),
    calls: callsOver(named, all),
    reconfigure,
    get names() {
      return [...servers.keys()];
    },
    catalogue: async (name, maxAgeMs, person) => named(name, person).catalogue(maxAgeMs),
    complete: async (name, request) => named(name).complete(request),
    subscribe: async (name, uri, onUpdated) => named(name).subscriptions.add(uri, onUpdated),
    ...loginsAt(named),
    // Also of names that no server has, and of devices. Who did not agree is not waited for.
    mayLackLogin: (name, person) =>
      person.notAgreed === undefined && servers.get(name)?.for(person).mayLackLogin === true,
    status: () => [...servers.values()].map((server) => server.status()),
    test: async (name, person) => named(name, person).test(),
    listed: (name) => servers.get(name)?.for(undefined).listed,
    async close() {
      await Promise.all([...all(), ...retired].map((server) => server.close()));
      await Promise.all(Object.values(clients).map((client: HttpClient) => client.close()));
    },
  };
  const group = options.devices === undefined ? own : withDevices(own, options.devices);
  const policyOf = (name: string) => servers.get(name)?.config.policy.tools ?? 'block';
  return Object.assign(group, { calls: heldToWorkflows(heldToPins(group, policyOf, clock), allowOf) });
}

type Logins = Pick<
  Servers,
  'takesLogins' | 'hasOwnLogins' | 'lacksLogin' | 'login' | 'finishLogin' | 'logout' | 'revoke'
>;

const loginsAt = (named: (name: string, person?: RunPerson) => Server): Logins => ({
  takesLogins: async (name) => named(name).takesLogins(),
  hasOwnLogins: (name) => hasOwnLogins(named(name).config),
  lacksLogin: async (name, person) => named(name, person).lacksLogin(),
  login: async (name, person) => (await named(name, person).grant()).login(),
  async finishLogin(answer) {
    const { server, login } = readState(answer.get('state') ?? '');
    const unconfirmed = await (await named(server).grant(login)).finish(answer);
    return { server, ...defined({ unconfirmed }) };
  },
  logout: async (name, person) => named(name, person).logout(),
  revoke: async (name, text) => (await named(name).grant()).revoke(text),
});

function openHttpClients({ addresses, lookup, environment }: ServersOptions): HttpClients {
  const proxy = proxyOf(environment);
  const common = { bodyBytes: messageBytes, timeLimitMs: 30_000, proxy, ...(lookup === undefined ? {} : { lookup }) };
  const named = addresses ?? { loopback: true, networks: [] };
  return {
    named: new HttpClient({ ...common, addresses: named }),
    listed: new HttpClient({ ...common, addresses: { ...named, loopback: false } }),
    discovered: new HttpClient({ ...common, addresses: { loopback: false, networks: [] } }),
  };
}

interface ConnectorParts {
  readonly fetcherOf: (config: HttpServerConfig) => Fetcher;
  readonly clients: HttpClients;
  readonly grants: Grants;
  readonly known: KnownSecrets;
}

function connectors(
  options: ServersOptions,
  { fetcherOf, clients, grants, known }: ConnectorParts,
): SharedResources['connectorFor'] {
  const { environment, root, mark, version, keyValues } = options;
  let guard: Promise<readonly string[]> | undefined;
  return async (config, shown, login): Promise<Connector> => {
    if (config.type === 'stdio' && shown.type === 'stdio') {
      guard ??= findGuard(environment['PATH']);
      const found = { environment, root, mark, guard: await guard, lineBytes: messageBytes, known, ...patience };
      return stdioConnector(config, shown, found);
    }
    if (config.type === 'builtin') return builtinConnector(config, { clients, known, version, keyValues });
    if (config.type !== 'stdio' && shown.type !== 'stdio' && shown.type !== 'builtin')
      return httpConnector(config, shown, { fetcher: fetcherOf(config), known, grant: grants.of(config, login) });
    throw new InvariantError('a configuration and the same one resolved are of different types');
  };
}

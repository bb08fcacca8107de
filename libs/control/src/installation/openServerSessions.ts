/**
 * Opens the sessions of a process with the configured servers and with devices, and what is measured of them. One pool
 * for all roles of the process: a role says later what is its own.
 */
import { type Metrics, ownerMark, type Service } from '@baton/boot';
import type { Devices, DevicesOptions } from '@baton/devices';
import { FailureError } from '@baton/engine';
import { defined } from '@baton/primitives';
import type { BoundSecrets, SharedClock } from '@baton/runner';
import { type Store, type Vault, storedAuthorizations } from '@baton/store';
import { type Handlers, type OAuthOptions, type Servers, openServers, serverMetrics } from '@baton/transports';

import { devicesElsewhere, devicesHere } from './openDevices.ts';
import { refusals } from './refusals.ts';
import type { Role } from './role.ts';

type TextHandler = DevicesOptions['onText'];

export interface ServerSessions {
  /** The configured servers and the devices. Follows changes of the servers file. */
  readonly servers: Servers;
  /** Those that are connected to this process. Undefined: it listens for none. */
  readonly devices: Devices | undefined;
  /** Answers what servers ask for during calls from now on. Until then each request is refused. */
  answerWith(handlers: Handlers): void;
  /** Answers texts of devices from now on. They may connect earlier, because calls find them as soon as they are made. */
  answerTexts(answer: TextHandler): void;
  /** Calls `tell` with the name of a server whose tools, prompts or resources changed. */
  onCatalogueChanged(tell: (server: string) => void): void;
  /** Where the browser of a person goes after a login at a server. */
  returnLoginsTo(url: string): void;
}

export interface ServerSessionParts {
  readonly roles: readonly Role[];
  readonly store: Store;
  readonly clock: SharedClock;
  readonly vault: Vault;
  readonly secrets: BoundSecrets;
  readonly metrics: Metrics;
}

/** Rejects with `StartError`. */
export async function openServerSessions(
  service: Service,
  { roles, store, clock, vault, secrets, metrics }: ServerSessionParts,
): Promise<ServerSessions> {
  const { settings, known, lifecycle, servers, name, version, env } = service;
  let handlers: Handlers = refusals;
  let answer: TextHandler = () => Promise.reject(starting());
  const tells: ((server: string) => void)[] = [];
  const oauth: { -readonly [key in keyof OAuthOptions]: OAuthOptions[key] } = {
    store: storedAuthorizations(store, vault, name),
  };
  const accepts = roles.includes('accept');
  const here = accepts ? await devicesHere(service, clock, (...text) => answer(...text)) : undefined;
  const devices = accepts ? here : devicesElsewhere(service);
  const sessionMetrics = serverMetrics(metrics);
  const sessions = openServers(servers.config, {
    environment: env,
    version,
    // What a process that drives declares to servers: they may offer other tools to a client without it.
    handlers: roles.includes('drive') ? handlersOf(() => handlers) : refusals,
    oauth,
    onCatalogueChanged: (server) => tells.forEach((tell) => tell(server)),
    ...defined({ devices }),
    clock,
    keyValues: store.keyValues,
    known,
    secret: secrets.ofServer,
    root: servers.root,
    withEvents: settings.BATON_EVENTS === 'on',
    addresses: { loopback: true, networks: settings.BATON_SERVER_NETWORKS },
    mark: ownerMark(settings.BATON_DATA),
    measures: sessionMetrics.measures,
  });
  lifecycle.onStop('sessions', () => sessions.close());
  service.onServersChanged(() => sessions.reconfigure(servers.config.servers));
  sessionMetrics.watch(() => sessions.status());
  return {
    servers: sessions,
    devices: here,
    answerWith(own) {
      handlers = own;
    },
    answerTexts(own) {
      answer = own;
    },
    onCatalogueChanged(tell) {
      tells.push(tell);
    },
    returnLoginsTo(url) {
      oauth.redirectUrl = url;
    },
  };
}

const starting = (): FailureError => new FailureError('server-unreachable', 'Baton is starting. Try again soon.');

const handlersOf = (now: () => Handlers): Handlers => ({
  sampling: async (params, asked) => (now().sampling ?? refusals.sampling)(params, asked),
  elicitation: async (params, asked) => (now().elicitation ?? refusals.elicitation)(params, asked),
  log: (entry) => now().log?.(entry),
});

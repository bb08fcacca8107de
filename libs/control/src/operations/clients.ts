/** Operations of clients that people connect with OAuth: what one asks for, the decision, and its end. */
import { type ConnectedClient, type Received, instant, ProblemError, routes } from '@baton/api';
import { defined } from '@baton/primitives';
import type { ServersConfig } from '@baton/protocol';
import { type Store, endConnectedClient, findConnectedClient, listConnectedClients, listWorkflows } from '@baton/store';

import { reachOf } from '../keys/keyAccess.ts';
import { type Principal, may } from '../keys/scopes.ts';
import type { AccessTokens } from '../oauth/accessTokens.ts';
import type { DecidingBrowser, OAuthClients } from '../oauth/oauthClients.ts';
import { ofInstallation } from './operation.ts';
import { type PageInput, pageIn } from './page.ts';
import type { ById } from './reach.ts';

interface ClientParts {
  readonly store: Store;
  readonly tokens: Pick<AccessTokens, 'forget'>;
}

interface ConsentParts {
  readonly store: Store;
  readonly config: ServersConfig;
  readonly clients: OAuthClients;
}

type Decision = Received<typeof routes.decideConsent>['body'];

export const listClients = ofInstallation(
  routes.listClients,
  async ({ store }: Pick<ClientParts, 'store'>, page: PageInput, caller) => {
    const { data, next } = pageIn(await listConnectedClients(store, ownOf(caller)), page);
    return { data: data.map(shownClient), next };
  },
);

export const disconnectClient = ofInstallation(
  routes.disconnectClient,
  async ({ store, tokens }: ClientParts, { id }: ById, caller): Promise<void> => {
    const client = await findConnectedClient(store, id);
    const own = { keyId: client?.keyId, id: client?.id, ...ownOf(caller) };
    const isReached =
      client?.keyId === own.keyId &&
      client?.id === own.id &&
      (await endConnectedClient(store, id, { by: caller.by, reason: 'person' }));
    if (!isReached) throw new ProblemError('not-found', `There is no client ${JSON.stringify(id.slice(0, 80))}.`);
    tokens.forget(id);
  },
);

export const getConsent = ofInstallation(
  routes.getConsent,
  async ({ store, config, clients }: ConsentParts, { id, ...browser }: ById & DecidingBrowser, caller) => {
    const consent = await clients.consent(id, personOf(caller), browser);
    const workflows = await reachedNames(store, caller);
    const servers = caller.workflows === undefined ? [...config.servers.keys()] : [];
    return { ...consent, workflows, servers };
  },
);

export const decideConsent = ofInstallation(
  routes.decideConsent,
  async ({ clients }: Pick<ConsentParts, 'clients'>, input: ById & Decision & DecidingBrowser, caller) => {
    const { id, choice, ...browser } = input;
    return { goOn: await clients.decide(id, choice, personOf(caller), browser) };
  },
);

const namesMax = 100;

async function reachedNames(store: Store, caller: Principal) {
  if (!may(caller, ['runs:read', 'runs:write', 'workflows:write'])) return { names: [], hasMore: false };
  const { workflows, next } = await listWorkflows(store, { limit: namesMax, ...defined({ among: reachOf(caller) }) });
  return { names: workflows.map(({ id }) => id), hasMore: next !== undefined };
}

/** A client sees and ends itself, an admin all of them, others those of their key. */
function ownOf({ client, scopes, id }: Principal): { readonly keyId?: string; readonly id?: string } {
  if (client !== undefined) return { id: client.id };
  return scopes.has('admin') ? {} : { keyId: id };
}

/** A person decides in a browser. Throws `ProblemError`. */
function personOf(caller: Principal): Principal {
  if (caller.session !== undefined) return caller;
  throw new ProblemError('forbidden', 'A person decides this in a browser that is logged in, not a key or a client.');
}

const shownClient = (client: Awaited<ReturnType<typeof listConnectedClients>>[number]): ConnectedClient => ({
  id: client.id,
  client: client.clientId,
  name: client.name,
  key: { id: client.keyId, name: client.keyName },
  choice: client.choice as ConnectedClient['choice'],
  scopes: [...client.scopes],
  resource: client.resource,
  createdAt: instant(client.createdAt),
  ...defined({ lastUsedAt: client.lastUsedAt === undefined ? undefined : instant(client.lastUsedAt) }),
});

/** Operations of the logins that people have at servers. */
import { type AwaitedLogin, instant, routes } from '@baton/api';
import type { RunPerson } from '@baton/engine';
import type { ServersConfig } from '@baton/protocol';
import { type Store, loginWaits } from '@baton/store';
import type { Servers } from '@baton/transports';

import { policyOf } from '../deploy/catalogueCache.ts';
import { reachesServer, reachOf } from '../keys/keyAccess.ts';
import { personBehind } from '../keys/personBehind.ts';
import type { Principal } from '../keys/scopes.ts';
import { operation } from './operation.ts';
import { allReached } from './reach.ts';

interface LoginParts {
  readonly store: Store;
  readonly config: ServersConfig;
  readonly servers: Pick<Servers, 'status' | 'hasOwnLogins' | 'lacksLogin'>;
}

/** For which runs of the person behind the caller wait. */
export const listLogins = operation(routes.listLogins, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async (parts: LoginParts, caller, _input: unknown): Promise<{ data: AwaitedLogin[] }> => {
    const person = personBehind(caller);
    if (person === undefined) return { data: [] };
    const servers = await lackedBy(parts, caller, person);
    const waits = await loginWaits(parts.store, { person: person.id, servers, workflows: reachOf(caller) });
    return {
      data: waits.map(({ server, runs, since }) => ({ server, person: person.id, runs, since: instant(since) })),
    };
  },
});

/** Servers at which the person has no login: who has one waits no longer, though no worker has looked yet. */
async function lackedBy({ servers, config }: LoginParts, caller: Principal, person: RunPerson): Promise<string[]> {
  const own = servers
    .status()
    .map(({ name }) => name)
    .filter((name) => servers.hasOwnLogins(name) && reachesServer(caller, policyOf(config, name).allow));
  const lacks = await Promise.all(own.map((name) => servers.lacksLogin(name, person)));
  return own.filter((_, n) => lacks[n]);
}

import { type Caller, instant } from '@baton/api';
import { defined } from '@baton/primitives';

import type { Principal, Rights } from '../keys/scopes.ts';

/** Who acts, through what, and what it may do. */
export function shownCaller(caller: Principal): Caller {
  const { client, session, scopes, expiresAt } = caller;
  const holder = client?.holder ?? caller;
  const { id, name, actor } = holder;
  const ends = [expiresAt, session?.expiresAt].filter((one) => one !== undefined);
  return {
    ...(actor?.kind === 'person' ? { person: { id: actor.id, name: actor.name } } : {}),
    ...(actor?.kind === 'person' && actor.via === undefined ? {} : { key: { id, name: actor?.via?.name ?? name } }),
    ...(client === undefined ? {} : { client: { id: client.id, name: caller.name } }),
    scopes: [...scopes],
    grants: (caller.grants ?? [caller]).map(shownRights),
    ...defined({ approve: caller.approve }),
    ...(ends.length > 0 && { expiresAt: instant(Math.min(...ends)) }),
  };
}

const shownRights = ({ scopes, workflows, effects }: Rights): Caller['grants'][number] => ({
  scopes: [...scopes],
  ...(workflows && { workflows: [...workflows] }),
  ...defined({ effects }),
});

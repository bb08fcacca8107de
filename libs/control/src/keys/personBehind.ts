/** Whose logins at servers runs use. */
import type { RunPerson } from '@baton/engine';

import { readActor } from './actor.ts';
import { isPersonId } from './holderPrincipal.ts';
import type { Principal } from './scopes.ts';

/** Of runs that the principal asks for. Undefined: it acts for no person, and they use those of the installation. */
export function personBehind({ actor, client }: Pick<Principal, 'actor' | 'client'>): RunPerson | undefined {
  const { kind, id, name } = (client === undefined ? actor : client.holder.actor) ?? {};
  return kind === 'person' && id !== undefined && name !== undefined ? { id, name } : undefined;
}

/** Of runs of triggers in a version that this actor deployed, as it is written (`writtenAs`). */
export function personIn(written: string | undefined): RunPerson | undefined {
  const [, name, id] = /^([^()]+) \(([^()]+)\)$/.exec(readActor(written ?? '').by) ?? [];
  if (name === undefined || id === undefined) return undefined;
  // No key has such an id: those of providers begin with the address of the issuer.
  return isPersonId(id) || /^https?:[^#]+#/.test(id) ? { id, name } : undefined;
}

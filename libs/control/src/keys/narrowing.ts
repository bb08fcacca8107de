/**
 * A person has several grants, each a set of rights like a key's. An operation is allowed if one of them allows all of it
 * for the workflow: the scope of one grant never meets the workflows, the effects or another scope of a second one. So
 * before rights are compared, the grants are left out that could not allow the operation.
 */
import type { Access } from '@baton/api';
import { type Effect, effectStrength } from '@baton/language';

import { maySee } from './keyAccess.ts';
import { type Principal, type Rights, may } from './scopes.ts';

/** The caller with the grants alone that have a scope of the route. A key stays as it is. */
export function withScope(caller: Principal, access: Exclude<Access, 'public'>): Principal {
  if (caller.grants === undefined || access === 'any-key') return caller;
  return { ...caller, ...sumOf(caller.grants.filter((grant) => may(grant, access))) };
}

/** The caller with the grants alone that show values, too. A key stays as it is: it sees those of the runs that it may read. */
export function withValues(caller: Principal): Principal {
  if (caller.grants === undefined) return caller;
  return { ...caller, ...sumOf(caller.grants.filter((grant) => may(grant, ['runs:values']))) };
}

/** Whether the caller sees the values of runs of the workflow. */
export const seesValues = (caller: Principal, workflow: string): boolean =>
  onWorkflow(caller, workflow).hidesValues !== true;

/** The caller as it may act on the workflow: with the rights of a key. */
export function onWorkflow(caller: Principal, workflow: string): Principal {
  if (caller.grants === undefined) return caller;
  return asKey(
    caller,
    caller.grants.filter((grant) => maySee(grant, workflow)),
  );
}

/** The caller as it may act on what belongs to no deployed workflow: by grants that are not limited to workflows. */
export function onAnything(caller: Principal): Principal {
  if (caller.grants === undefined) return caller;
  return asKey(
    caller,
    caller.grants.filter(({ workflows }) => workflows === undefined),
  );
}

/** A call at the gateway needs the right to start runs. */
export const gatewayAccess = ['runs:write'] as const satisfies Access;

/** The caller as it may call at the gateway. Undefined: calls there belong to no workflow, and it is limited to workflows. */
export function atGateway(caller: Principal): Principal | undefined {
  const principal = onAnything(withScope(caller, gatewayAccess));
  return principal.workflows === undefined ? principal : undefined;
}

/** Without a grant, the rights are none. */
function asKey({ grants: _several, ...caller }: Principal, grants: readonly Rights[]): Principal {
  if (grants.length === 0)
    return { ...caller, scopes: new Set(), workflows: new Set(), effects: 'read', hidesValues: true };
  const effects = grants.some((grant) => grant.effects === undefined) ? undefined : effectsOf(grants).at(-1);
  const hidesValues = grants.some((grant) => may(grant, ['runs:values'])) ? undefined : true;
  return { ...caller, ...sumOf(grants), grants: undefined, effects, hidesValues };
}

/** The sum of grants. Its effects are those of the weakest: what a single one may cause is found with `onWorkflow`. */
export function sumOf(grants: readonly Rights[]): Rights & Pick<Principal, 'grants' | 'hidesValues'> {
  const isUnlimited = grants.some(({ workflows }) => workflows === undefined);
  const seesValues = grants.every((grant) => may(grant, ['runs:values']));
  return {
    grants,
    scopes: new Set(grants.flatMap(({ scopes }) => [...scopes])),
    workflows: isUnlimited ? undefined : new Set(grants.flatMap(({ workflows = [] }) => [...workflows])),
    effects: effectsOf(grants)[0],
    ...(seesValues ? {} : { hidesValues: true }),
  };
}

/** Weakest first. */
const effectsOf = (grants: readonly Rights[]): readonly Effect[] =>
  grants.flatMap(({ effects = [] }) => effects).toSorted((one, other) => effectStrength[one] - effectStrength[other]);

/** What a caller may give to others: no more than one of its own sets of rights has. */
import { grantFault, ProblemError } from '@baton/api';
import { didYouMean } from '@baton/expressions';
import { type Effect, sessionWorkflow } from '@baton/language';
import type { StoredGrant } from '@baton/store';

import { covers } from './covers.ts';
import type { Roles } from './roles.ts';
import type { Principal, Rights } from './scopes.ts';

export const mayGive = (caller: Principal, wanted: Rights): boolean =>
  (caller.grants ?? [caller]).some((own) => covers(own, wanted));

/** Throws `ProblemError` for a caller whose limits no person would have, such as a number of runs. */
export function checkGiver({ limits, approve, expiresAt }: Principal): void {
  const limited = { ...limits, approve, expiresAt };
  if (Object.values(limited).every((one) => one === undefined)) return;
  throw new ProblemError(
    'forbidden',
    'This key has limits, needs approval or expires, and a person would not. It can give no rights to people.',
  );
}

interface GrantPlace {
  readonly roles: Roles;
  /** Of the list, or of the grant itself. */
  readonly pointer: string;
}

/** Throws `ProblemError` for an unknown role, a limit without effect, and for what the caller does not have itself. */
export function checkGrants(
  caller: Principal,
  grants: readonly { role: string; on?: readonly string[] | undefined; effects?: Effect | undefined }[],
  { roles, pointer }: GrantPlace,
): void {
  for (const [index, { role, on, effects }] of grants.entries()) {
    const at = pointer === '' ? '' : `${pointer}/${index}`;
    checkGrant({ role, ...(on && { on }), ...(effects && { effects }) }, roles, at);
    if (mayGive(caller, roles.rights({ role, ...(on && { on }), ...(effects && { effects }) }))) continue;
    throw new ProblemError(
      'forbidden',
      `The role ${role} may do more than you may${on === undefined ? ' on all workflows' : ` on ${on.join(', ').slice(0, 80)}`}. Only rights that you have yourself can be given.`,
    );
  }
}

/** Throws `ProblemError`. */
function checkGrant({ role, on, effects }: StoredGrant, roles: Roles, at: string): void {
  if (!Object.hasOwn(roles.all, role)) {
    const names = Object.keys(roles.all);
    const near = didYouMean(role, names);
    throw wrong(
      `${at}/role`,
      `There is no role ${JSON.stringify(role)}${near === undefined ? '' : `; ${near}`}. Roles: ${names.join(', ')}.`,
    );
  }
  if (on?.includes(sessionWorkflow) === true)
    throw wrong(
      `${at}/on`,
      `"${sessionWorkflow}" is no workflow: the sessions of all callers at the gateway have that name.`,
    );
  const fault = grantFault(roles.scopesOf(role), { isLimited: on !== undefined, hasEffects: effects !== undefined });
  if (fault !== undefined) throw wrong(`${at}/${fault.member}`, `The role ${role} ${fault.why}`);
}

const wrong = (pointer: string, message: string): ProblemError =>
  new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });

/** Roles: named sets of scopes. These are Baton's; settings add others, and replace all but `admin`. */
import type { RoleScope } from './scopes.ts';

const viewer = ['runs:read', 'servers:read'] as const;
const operator = [...viewer, 'runs:values', 'runs:write', 'questions:answer'] as const;

export type RoleTable = Readonly<Record<string, readonly RoleScope[]>>;

export const builtInRoles = {
  viewer,
  operator,
  author: [...operator, 'workflows:write'],
  approver: [...viewer, 'runs:values', 'questions:answer'],
  admin: ['admin'],
} as const satisfies RoleTable;

/** Scopes that belong to no workflow: a grant of them cannot be limited to some. */
const scopesOfInstallation = ['audit:read', 'secrets:write'] as const satisfies readonly RoleScope[];

/** Why a limit of a grant would have no effect on these scopes. */
export function grantFault(
  scopes: readonly string[],
  { isLimited, hasEffects }: { readonly isLimited: boolean; readonly hasEffects: boolean },
): { readonly member: 'on' | 'effects'; readonly why: string } | undefined {
  if (scopes.includes('admin') && (isLimited || hasEffects))
    return { member: isLimited ? 'on' : 'effects', why: 'cannot be limited: an admin can give more.' };
  const whole = scopesOfInstallation.find((scope) => scopes.includes(scope));
  if (isLimited && whole !== undefined)
    return { member: 'on', why: `has the scope ${whole}, which belongs to no workflow: it cannot be limited to some.` };
  return undefined;
}

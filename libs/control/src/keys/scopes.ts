import { isDeepStrictEqual } from 'node:util';

import { type Access, type RoleScope, ProblemError } from '@baton/api';
import type { Effect } from '@baton/language';
import type { KeyLimits, StoredGrant } from '@baton/store';

import type { Actor } from './actor.ts';

/** What the issuer of a token says of its person. It is good as long as the token, and for it alone. */
export interface TokenGrants {
  /** What its claims give. */
  readonly claimed: readonly StoredGrant[];
  /** The token has no scopes, so that its claims alone say what it may; otherwise what the person was given here counts, too. */
  readonly isByClaims: boolean;
}

/** A client with an access token: a person connected it with OAuth, or another authorization server gave it the token. */
interface ClientOfToken {
  /** Of the agreement; of a token of another server, the same for the client and the person. */
  readonly id: string;
  /** The key or person with whose rights the person agreed. */
  readonly holder: Principal;
  /** How runs and people name it. */
  readonly name: string;
  /** Of a token of Baton. */
  readonly digest?: Buffer;
  /** Another server vouches for the person, with the token or with an assertion; absent: a person agreed here. */
  readonly said?: TokenGrants;
}

/** What a caller may do: what one key may, or what a person may by one grant. */
export interface Rights {
  readonly scopes: ReadonlySet<string>;
  /** Patterns of the only workflows that it may see, such as `payments/*`; undefined: all. */
  readonly workflows?: ReadonlySet<string> | undefined;
  /** The strongest effect of runs that it may start; undefined: any. */
  readonly effects?: Effect | undefined;
}

/**
 * The client of a request, or a trigger. Its own rights are those of its key. A person has `grants`, and what stands
 * beside them is their sum: an operation is allowed if one grant allows it for the workflow (`narrowing.ts`).
 */
export interface Principal extends Rights {
  /** The id of the key, or of the person. */
  readonly id: string;
  /** The name of the key, or of the person. */
  readonly name: string;
  /** Who acts. Absent: the holder of the key. */
  readonly actor?: Actor;
  /** The author of an action, as journals and the audit write it. */
  readonly by: string;
  /** What the person may do; absent: the rights are those of one key. */
  readonly grants?: readonly Rights[] | undefined;
  /** `write`: a person approves each write that the client makes at the gateway. */
  readonly approve?: 'write' | undefined;
  /** Absent: the limits of the settings. */
  readonly limits?: KeyLimits | undefined;
  /** When the key expires, epoch milliseconds; undefined: never. */
  readonly expiresAt?: number | undefined;
  /** It has no key. A workflow that is paused is started by no trigger. */
  readonly isTrigger?: true;
  /** It sees runs, and no values of them. */
  readonly hidesValues?: true | undefined;
  /** The client that a person connected; absent: the request has a key, or the cookie of a session. */
  readonly client?: ClientOfToken;
  /** The browser session that used the key; absent: the request contained the key itself. */
  readonly session?: { readonly id: string; readonly expiresAt: number; readonly digest: Buffer };
}

/** Whether both may do and see the same. What began for one of them, such as a stream, can go on for the other. */
export const haveSameRights = (one: Principal, other: Principal): boolean =>
  isDeepStrictEqual(allRightsOf(one), allRightsOf(other));

function allRightsOf({ scopes, workflows, effects, grants, approve, limits, hidesValues }: Principal) {
  return { scopes, workflows, effects, grants: grants && new Set(grants.map(textOf)), approve, limits, hidesValues };
}

/** The same text for the same rights, in any order of scopes and workflows. */
const textOf = ({ scopes, workflows, effects }: Rights): string =>
  JSON.stringify([[...scopes].toSorted(), workflows && [...workflows].toSorted(), effects]);

/** Whether the client has one of the scopes that a route requires. */
export const may = (
  { scopes }: Pick<Rights, 'scopes'>,
  access: Exclude<Access, 'public'> | readonly RoleScope[],
): boolean => access === 'any-key' || scopes.has('admin') || access.some((scope) => scopes.has(scope));

/** Throws `ProblemError` if the client has none of the scopes. */
export function checkScopes(principal: Pick<Principal, 'scopes' | 'client'>, access: Exclude<Access, 'public'>): void {
  if (may(principal, access)) return;
  const wanted = access.length === 0 ? ['admin'] : [access].flat();
  const { client } = principal;
  // No other token would help.
  if (client?.said !== undefined && !may(client.holder, access))
    throw new ProblemError(
      'forbidden',
      `Nothing with the scope ${wanted.join(' or ')} is granted to ${client.holder.name}.`,
    );
  if (client !== undefined) throw insufficientScope(client, wanted);
  throw new ProblemError('forbidden', `This needs a key with the scope ${wanted.join(' or ')}.`);
}

/** Names the scope that is missing, so that the client can ask the person for it (RFC 6750, section 3.1). */
const insufficientScope = ({ name }: ClientOfToken, wanted: readonly string[]): ProblemError =>
  new ProblemError('forbidden', `The client ${name} lacks the scope ${wanted.join(' or ')}: connect it again.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted[0] ?? ''}"` },
  });

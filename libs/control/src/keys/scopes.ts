import { type Access, ProblemError } from '@baton/api';
import type { Effect } from '@baton/language';
import type { KeyLimits } from '@baton/store';

/** A client that a person connected with OAuth, whose access token a request has. */
interface ClientOfToken {
  /** Of the agreement. */
  readonly id: string;
  /** The key with whose rights the person agreed. */
  readonly keyId: string;
  /** How runs and people name it. */
  readonly name: string;
  readonly digest: Buffer;
}

/** The client of a request, or a trigger. */
export interface Principal {
  /** The id of the key; of a connected client, that of its agreement. */
  readonly id: string;
  /** The name of the key. */
  readonly name: string;
  /** The author of an action: the key's name, for people, and its unique id. */
  readonly by: string;
  readonly scopes: ReadonlySet<string>;
  /** Patterns of the only workflows that the key may see, such as `payments/*`; undefined: all. */
  readonly workflows?: ReadonlySet<string> | undefined;
  /** The strongest effect of runs that it may start; undefined: any. */
  readonly effects?: Effect | undefined;
  /** `write`: a person approves each write that the client makes at the gateway. */
  readonly approve?: 'write' | undefined;
  /** Absent: the limits of the settings. */
  readonly limits?: KeyLimits | undefined;
  /** When the key expires, epoch milliseconds; undefined: never. */
  readonly expiresAt?: number | undefined;
  /** It has no key. A workflow that is paused is started by no trigger. */
  readonly isTrigger?: true;
  /** The client that a person connected; absent: the request has a key, or the cookie of a session. */
  readonly client?: ClientOfToken;
  /** The browser session that used the key; absent: the request contained the key itself. */
  readonly session?: { readonly id: string; readonly expiresAt: number; readonly digest: Buffer };
}

/** Whether the client has one of the scopes that a route requires. */
export const may = ({ scopes }: Pick<Principal, 'scopes'>, access: Exclude<Access, 'public'>): boolean =>
  access === 'any-key' || scopes.has('admin') || access.some((scope) => scopes.has(scope));

/** Throws `ProblemError` if the client has none of the scopes. */
export function checkScopes(principal: Pick<Principal, 'scopes' | 'client'>, access: Exclude<Access, 'public'>): void {
  if (may(principal, access)) return;
  const wanted = access.length === 0 ? ['admin'] : [access].flat();
  if (principal.client !== undefined) throw insufficientScope(principal.client, wanted);
  throw new ProblemError('forbidden', `This needs a key with the scope ${wanted.join(' or ')}.`);
}

/** Names the scope that is missing, so that the client can ask the person for it (RFC 6750, section 3.1). */
const insufficientScope = ({ name }: ClientOfToken, wanted: readonly string[]): ProblemError =>
  new ProblemError('forbidden', `The client ${name} lacks the scope ${wanted.join(' or ')}: connect it again.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted[0] ?? ''}"` },
  });

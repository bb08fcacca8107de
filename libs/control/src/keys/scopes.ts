import { type Access, ProblemError } from '@baton/api';
import type { Effect } from '@baton/language';
import type { KeyLimits } from '@baton/store';

/** The client of a request, or a trigger. */
export interface Principal {
  /** The id of the key. */
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
  /** The browser session that used the key; absent: the request contained the key itself. */
  readonly session?: { readonly id: string; readonly expiresAt: number; readonly digest: Buffer };
}

/** Whether the client has one of the scopes that a route requires. */
export const may = ({ scopes }: Pick<Principal, 'scopes'>, access: Exclude<Access, 'public'>): boolean =>
  access === 'any-key' || scopes.has('admin') || access.some((scope) => scopes.has(scope));

/** Throws `ProblemError` if the client has none of the scopes. */
export function checkScopes(principal: Pick<Principal, 'scopes'>, access: Exclude<Access, 'public'>): void {
  if (may(principal, access)) return;
  const wanted = access.length === 0 ? ['admin'] : [access].flat();
  throw new ProblemError('forbidden', `This needs a key with the scope ${wanted.join(' or ')}.`);
}

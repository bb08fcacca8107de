import type { Access } from '@baton/api';
import type { Effect } from '@baton/language';
import type { KeyLimits } from '@baton/store';

/** Who asks. */
export interface Principal {
  /** Of the key. */
  readonly id: string;
  /** The key's, as people gave it. */
  readonly name: string;
  /** Identifies the author of an action: the key's name, for people, and its id, which is unique. */
  readonly by: string;
  readonly scopes: ReadonlySet<string>;
  /** The only workflows that it may have to do with; undefined: all. */
  readonly workflows?: ReadonlySet<string> | undefined;
  /** The strongest effect that runs may have which it starts; undefined: any. */
  readonly effects?: Effect | undefined;
  /** Absent: as the settings say. */
  readonly limits?: KeyLimits | undefined;
  /** When the key expires, epoch milliseconds; undefined: never. */
  readonly expiresAt?: number | undefined;
  /** The browser's session by which the key was used; absent: the key itself came with the request. */
  readonly session?: { readonly id: string; readonly expiresAt: number; readonly digest: Buffer };
}

/** Whether one of the scopes that a route asks for is there. */
export const may = ({ scopes }: Principal, access: Exclude<Access, 'public'>): boolean =>
  access === 'any-key' || scopes.has('admin') || access.some((scope) => scopes.has(scope));

import type { Scope } from '@baton/api';
import type { Effect } from '@baton/language';
import type { KeyLimits } from '@baton/store';

/** Who asks. */
export interface Principal {
  /** Of the key. */
  readonly id: string;
  /** What is written down of whoever did something: the key's name, for people, and its id, which is nobody else's. */
  readonly by: string;
  readonly scopes: ReadonlySet<string>;
  /** The only workflows that it may have to do with; undefined: all. */
  readonly workflows?: ReadonlySet<string> | undefined;
  /** The strongest effect that runs may have which it starts; undefined: any. */
  readonly effects?: Effect | undefined;
  /** Absent: as the settings say. */
  readonly limits?: KeyLimits | undefined;
}

/** Whether one of the scopes that a route asks for is there. */
export const may = ({ scopes }: Principal, anyOf: readonly Scope[]): boolean =>
  scopes.has('admin') || anyOf.some((scope) => scopes.has(scope));

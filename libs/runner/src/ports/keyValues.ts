/** The values that the workflows of one project share, as the built-in server `kv` reads and writes them. */
import type { Json } from '@baton/primitives';

/** Deployed workflows of a project share one space; the texts that come with their runs share another. */
export interface KeySpace {
  readonly project: string;
  readonly isInline: boolean;
}

export interface KeyValue {
  readonly key: string;
  /** Of the value, in bytes of JSON. */
  readonly bytes: number;
  readonly at: Date;
}

interface KeyPage {
  /** Those that begin with it. */
  readonly prefix: string;
  /** Those after this key, in the order of their bytes. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Each rejects with `UnavailableError`. Keys and values are texts that Postgres can store. */
export interface KeyValues {
  /** Undefined: there is none. */
  get(space: KeySpace, key: string): Promise<{ readonly value: Json } | undefined>;
  /** False: the key is new, and the space is full. `by`: the run that writes, or the trigger. */
  put(space: KeySpace, written: { readonly key: string; readonly value: Json; readonly by: string }): Promise<boolean>;
  list(space: KeySpace, page: KeyPage): Promise<{ readonly keys: readonly KeyValue[]; readonly next?: string }>;
  /** False: there was none. */
  delete(space: KeySpace, key: string): Promise<boolean>;
}

import { UnavailableError } from '@baton/runner';

/** Where large values are kept outside of the database. */
export interface ValuePlace {
  /** For people: without credentials. */
  readonly name: string;
  /** Resolves when it is durable. Rejects with `UnavailableError`. */
  put(key: string, content: Buffer): Promise<void>;
  /** Undefined: there is none. Rejects with `UnavailableError`. */
  get(key: string): Promise<Buffer | undefined>;
  /** Also of one that is not there. Rejects with `UnavailableError`. */
  remove(key: string): Promise<void>;
}

/**
 * The content of a value that is elsewhere. `key`: its digest, and a part of its own, so that a value that is removed and made
 * anew is another object. Undefined: it is gone. Rejects with `UnavailableError`.
 */
export async function readElsewhere(place: ValuePlace | undefined, key: string): Promise<Buffer | undefined> {
  if (place === undefined)
    throw new UnavailableError('the value is kept outside of the database, and this process has no BATON_VALUES');
  return place.get(key);
}

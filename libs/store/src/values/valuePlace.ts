import { UnavailableError } from '@baton/runner';

/** The place of large values, and not the database, does not answer. The message has no credential. */
export class ValuesUnavailableError extends UnavailableError {}

/** Where large values are kept outside of the database. */
export interface ValuePlace {
  /** For people: without credentials. */
  readonly name: string;
  /** Resolves when it is durable. Rejects with `ValuesUnavailableError`. */
  put(key: string, content: Buffer): Promise<void>;
  /** Undefined: there is none. Rejects with `ValuesUnavailableError`. */
  get(key: string): Promise<Buffer | undefined>;
  /** Also of one that is not there. Rejects with `ValuesUnavailableError`. */
  remove(key: string): Promise<void>;
}

/**
 * The content of a value that is elsewhere. `key`: its digest, and a part of its own, so that a value that is removed and made
 * anew is another object. Undefined: it is gone. Rejects with `ValuesUnavailableError`.
 */
export async function readElsewhere(place: ValuePlace | undefined, key: string): Promise<Buffer | undefined> {
  if (place === undefined)
    throw new ValuesUnavailableError('the value is kept outside of the database, and this process has no BATON_VALUES');
  return place.get(key);
}

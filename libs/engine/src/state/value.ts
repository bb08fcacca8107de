/**
 * Values as a run keeps them: small ones in the journal itself, large ones in a blob beside it.
 *
 * The engine stays pure: when an expression needs a value that is not loaded, it throws `BlobsNeeded`; the caller
 * fetches it and calls again. A value that only an undo may still read is left in the journal.
 */
import type { Json } from '@baton/primitives';

import { invariant } from '../invariant.ts';

interface BlobRef {
  /** SHA-256 of the JSON text, hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The beginning of the text, for people. */
  readonly preview: string;
}

export type Value =
  /** `hidden`: the reader may not see it, and `json` is null. No journal has it. */
  | { readonly json: Json; readonly hidden?: true }
  | { readonly blob: BlobRef }
  /** The values of a `forEach`, each stored on its own. */
  | { readonly list: readonly Value[] };

/** A value in a step's state: the value itself, or the journal position of the event that has it. */
export type RememberedValue = Value | { readonly past: number };

/** The output of a step in an open frame, where values are never left to the journal. */
export function inFrame(value: RememberedValue): Value {
  invariant(!('past' in value), 'only a frame that is over leaves values in the journal');
  return value;
}

const past = '#';

/** The journal position in a key of `Blobs`; undefined where the key is a digest. */
export const positionIn = (key: string): number | undefined =>
  key.startsWith(past) ? Number(key.slice(past.length)) : undefined;

/** Loaded values: blobs by their digest, and journal values by `#<position>`. */
export type Blobs = (key: string) => Json | undefined;

export class BlobsNeeded extends Error {
  override readonly name = 'BlobsNeeded';
  /** Keys of `Blobs`. */
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`${keys.length} values are needed first`);
    this.keys = keys;
  }
}

/** The JSON of a value. Throws `BlobsNeeded` where a part of it is not loaded. */
export function resolve(value: RememberedValue, blobs: Blobs): Json {
  const missing = new Set<string>();
  const found = walk(value, blobs, missing);
  if (missing.size > 0) throw new BlobsNeeded([...missing]);
  return found;
}

function walk(value: RememberedValue, blobs: Blobs, missing: Set<string>): Json {
  if ('json' in value) return value.json;
  if ('list' in value) return value.list.map((item) => walk(item, blobs, missing));
  const key = 'past' in value ? `${past}${value.past}` : value.blob.sha256;
  const json = blobs(key);
  if (json === undefined) missing.add(key);
  return json ?? null;
}

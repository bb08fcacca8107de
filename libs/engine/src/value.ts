/**
 * Values as a run keeps them: small ones in the journal itself, large ones in a blob beside it.
 *
 * The engine stays pure: when an expression needs a blob that is not at hand, `BlobsNeeded` is thrown, the caller
 * fetches it and asks the same question again.
 */
import type { Json } from '@baton/language';

export interface BlobRef {
  /** SHA-256 of the JSON text, hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The beginning of the text, for people. */
  readonly preview: string;
}

export type Value =
  | { readonly json: Json }
  | { readonly blob: BlobRef }
  /** The values of a `forEach`, each kept on its own. */
  | { readonly list: readonly Value[] };

/** Blobs at hand, by digest. */
export type Blobs = (sha256: string) => Json | undefined;

export class BlobsNeeded extends Error {
  override readonly name = 'BlobsNeeded';
  readonly digests: readonly string[];

  constructor(digests: readonly string[]) {
    super(`${digests.length} blobs are needed first`);
    this.digests = digests;
  }
}

/** The JSON behind a value. Throws `BlobsNeeded` where a part of it is not at hand. */
export function resolve(value: Value, blobs: Blobs): Json {
  const missing = new Set<string>();
  const found = walk(value, blobs, missing);
  if (missing.size > 0) throw new BlobsNeeded([...missing]);
  return found;
}

function walk(value: Value, blobs: Blobs, missing: Set<string>): Json {
  if ('json' in value) return value.json;
  if ('list' in value) return value.list.map((item) => walk(item, blobs, missing));
  const json = blobs(value.blob.sha256);
  if (json === undefined) missing.add(value.blob.sha256);
  return json ?? null;
}

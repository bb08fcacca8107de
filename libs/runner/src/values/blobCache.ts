/** Caches the most recently used large values, up to a number of bytes, for all runs of a process. */
import { FailureError } from '@baton/engine';
import type { Json } from '@baton/primitives';

import type { BlobStore } from '../ports/journal.ts';
import { LargeTexts } from './largeTexts.ts';
import { LostValueError, missingValue } from './lostValue.ts';
import { UnsavedValues } from './unsavedValues.ts';

export class BlobCache {
  /** JSON texts of large strings in the cached values, and in a few more. */
  readonly texts = new LargeTexts();
  /** Values that the database cannot return yet. They are not part of the cache: nothing drops them. */
  readonly unsaved: UnsavedValues;
  readonly #maxBytes: number;
  readonly #known = new Map<string, { readonly json: Json; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number, unsaved = new UnsavedValues()) {
    this.#maxBytes = maxBytes;
    this.unsaved = unsaved;
  }

  get(sha256: string): Json | undefined {
    const hit = this.#known.get(sha256);
    if (hit === undefined) return undefined;
    this.#known.delete(sha256);
    this.#known.set(sha256, hit);
    return hit.json;
  }

  put(sha256: string, json: Json, bytes: number): void {
    const before = this.#known.get(sha256);
    if (before !== undefined) this.#drop(sha256, before.bytes);
    this.#known.set(sha256, { json, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: size }] of this.#known) {
      if (this.#bytes <= this.#maxBytes || oldest === sha256) break;
      this.#drop(oldest, size);
    }
  }

  /** Rejects with `UnavailableError`, and with `LostValueError` for a value that is missing or was changed. */
  async load(store: BlobStore, digests: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    const found = new Map<string, Json>();
    for (const sha256 of digests) {
      const text = this.unsaved.get(sha256) ?? (await readText(store, sha256));
      const json = JSON.parse(text) as Json;
      this.put(sha256, json, Buffer.byteLength(text));
      found.set(sha256, json);
    }
    return found;
  }

  #drop(sha256: string, bytes: number): void {
    this.#known.delete(sha256);
    this.#bytes -= bytes;
  }
}

async function readText(store: BlobStore, sha256: string): Promise<string> {
  try {
    const text = await store.get(sha256);
    if (text !== undefined) return text;
  } catch (error) {
    throw error instanceof FailureError ? new LostValueError(error.message, { cause: error }) : error;
  }
  throw missingValue(sha256);
}

/** Where the values of secrets come from: the store of the installation, or a provider beside it. */
import type { SecretBinding } from '@baton/language';

import type { KnownSecrets } from '../redact/knownSecrets.ts';

/** Each method rejects with `UnavailableError`. Only `BoundSecrets` calls `reveal`. */
export interface SecretSource {
  /** By name; leaves out missing secrets, and those that cannot be read. */
  reveal(names: readonly string[]): Promise<ReadonlyMap<string, RevealedSecret>>;
  /** In order of their names; `page` absent: all. */
  list(page?: SecretPage): Promise<SecretList>;
  /** Keeps `known` up to date with all values. Resolves when those of now are known. */
  watch(known: KnownSecrets): Promise<SecretWatch>;
}

export interface SecretPage {
  readonly limit: number;
  /** The last name of the previous page. Absent: the first page. */
  readonly after?: string;
}

export interface SecretList {
  readonly secrets: readonly SecretSummary[];
  /** The last name; absent if no page follows. */
  readonly next?: string;
}

/** The parts of a secret that may be shown. */
export interface SecretSummary extends SecretBinding {
  readonly name: string;
  /** Counted from 1 each time the secret is set. */
  readonly version: number;
  readonly setBy: string;
  readonly setAt: number;
}

export interface RevealedSecret extends SecretBinding {
  readonly value: string;
  /** The previous value, if it was replaced less than a day ago: deliveries may still be signed with it. */
  readonly before?: string;
}

export interface SecretWatch {
  /** Resolves when secrets that are older than a second are known, or the source is not available. */
  fresh(): Promise<void>;
  close(): Promise<void>;
}

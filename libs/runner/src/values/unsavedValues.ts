/**
 * The texts of large values whose append is not durable yet: the database cannot be asked for them, and the cache may have
 * dropped them.
 */
import type { NewBlob } from '../ports/journal.ts';

interface HeldText {
  readonly text: string;
  /** Holders that have not released it. */
  holders: number;
}

export class UnsavedValues {
  readonly #held = new Map<string, HeldText>();

  get(sha256: string): string | undefined {
    return this.#held.get(sha256)?.text;
  }

  /** Number of values. */
  get size(): number {
    return this.#held.size;
  }

  /** Holds the value until `release` was called as often as `hold`. */
  hold({ sha256, text }: NewBlob): void {
    const held = this.#held.get(sha256) ?? { text, holders: 0 };
    held.holders += 1;
    this.#held.set(sha256, held);
  }

  release(sha256: string): void {
    const held = this.#held.get(sha256);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders === 0) this.#held.delete(sha256);
  }
}

/** What really happened at the tool servers, written down by them: the checkers trust nothing else. */
import type { Effect } from '@baton/language';

export interface Performed {
  /** `<run>/<path>#<attempt>`. */
  readonly attemptKey: string;
  readonly runId: string;
  readonly tool: string;
  readonly effect: Effect;
  /** What it did: two entries with the same key are the same thing done twice. */
  readonly key: string;
  readonly worker: string;
  /** When the worker handed it to the network. */
  readonly sentAt: number;
  readonly arrivedAt: number;
}

export class Ledger {
  readonly entries: Performed[] = [];
  readonly #counts = new Map<string, number>();
  readonly #sent = new Set<string>();

  /** A worker handed the call to the network, where it may get lost. */
  noteSent(attemptKey: string): void {
    this.#sent.add(attemptKey);
  }

  wasSent(attemptKey: string): boolean {
    return this.#sent.has(attemptKey);
  }

  add(entry: Performed): void {
    this.entries.push(entry);
    this.#counts.set(entry.key, this.times(entry.key) + 1);
  }

  times(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

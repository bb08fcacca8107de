/**
 * Finds removals that today's settings do not allow. Settings may have been different then, so these are warnings, not
 * proof.
 */
import type { ChainedEntry } from './entries.ts';
import { detailIn } from './readRecord.ts';

const warningsMax = 20;

export class RemovalCheck {
  readonly #keep: { readonly runsMs: number; readonly recordsMs: number };
  readonly #warnings: string[] = [];
  #more = 0;

  /** The retention times of today's settings, in milliseconds; `Infinity`: for ever. */
  constructor(keep: { readonly runsMs: number; readonly recordsMs: number }) {
    this.#keep = keep;
  }

  get warnings(): readonly string[] {
    return this.#more === 0 ? this.#warnings : [...this.#warnings, `and ${this.#more} more removals like these`];
  }

  take({ seq, at, action, detail }: Pick<ChainedEntry, 'seq' | 'at' | 'action' | 'detail'>): void {
    if (action !== 'runs.removed' && action !== 'records.removed') return;
    const { endedBefore, before } = detailIn(detail) ?? {};
    const instant = endedBefore ?? before;
    const upTo = typeof instant === 'string' ? instant : 'an unknown time';
    const [setting, keptMs] =
      action === 'runs.removed'
        ? (['BATON_KEEP_RUNS', this.#keep.runsMs] as const)
        : (['BATON_KEEP_RECORDS', this.#keep.recordsMs] as const);
    const limit = Date.parse(upTo);
    // The entry is written a moment after the limit was computed, perhaps by a process with another clock.
    if (at - limit >= keptMs - clockToleranceMs) return;
    if (this.#warnings.length === warningsMax) this.#more += 1;
    else this.#warnings.push(`entry ${seq}: ${action} up to ${upTo}, which ${setting} does not allow now`);
  }
}

const clockToleranceMs = 60_000;

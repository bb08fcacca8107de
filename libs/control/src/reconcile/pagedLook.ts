/**
 * A look at what may need an action, page by page: each pass takes the next page, and begins again after the last one. So
 * what needs an action is found behind any number of items for which no action helps.
 */
import { type RepeatDelayLimits, RepeatDelays } from './repeatDelays.ts';

export interface LookedAt<Item, Place> {
  readonly items: readonly Item[];
  /** After the last item; absent: this is the last page. */
  readonly next?: Place | undefined;
}

export class PagedLook<Item extends { readonly runId: string }, Place> {
  readonly #delays: RepeatDelays;
  #after: Place | undefined;

  constructor(patience: RepeatDelayLimits) {
    this.#delays = new RepeatDelays(patience);
  }

  /** Resolves to those items of the next page for which it is time. Rejects with the errors of `find`. */
  async next(
    find: (after: Place | undefined) => Promise<LookedAt<Item, Place>>,
    nowMs: number,
  ): Promise<readonly Item[]> {
    const { items, next } = await find(this.#after);
    this.#after = next;
    const ids = items.map(({ runId }) => runId);
    const due = new Set(this.#delays.due(ids, nowMs, next === undefined));
    return items.filter(({ runId }) => due.delete(runId));
  }
}

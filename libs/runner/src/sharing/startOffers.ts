/**
 * Offers each new run to a crowded worker on which its caller has less than a fair share, and fewer runs than another
 * caller. Its bell rings behind those of all runs that wait already.
 */
import type { Clock } from '../ports/clock.ts';
import type { CrowdedWorker, RunOffers } from './runOffers.ts';

/** A worker that is still crowded says so several times in this time. */
const crowdedMs = 3_000;

export interface StartOffersOptions {
  readonly offers: RunOffers;
  readonly clock: Clock;
}

export class StartOffers {
  readonly #options: StartOffersOptions;
  /** By the worker's id; the one that got an offer last is at the end. */
  readonly #crowded = new Map<string, { readonly callers: ReadonlySet<string>; readonly until: number }>();

  constructor(options: StartOffersOptions) {
    this.#options = options;
    options.offers.onCrowded((crowded) => this.#note(crowded));
  }

  /** Number of workers that are remembered as crowded. */
  get size(): number {
    return this.#crowded.size;
  }

  /** Call it for each new run that can begin at once. `by`: who asked for the run. */
  offer(runId: string, by: string): void {
    const now = this.#options.clock.monotonic();
    for (const [worker, crowded] of this.#crowded) {
      const { callers, until } = crowded;
      if (until > now && !callers.has(by)) {
        this.#options.offers.offer({ worker, runId });
        this.#crowded.delete(worker);
        this.#crowded.set(worker, crowded);
        return;
      }
    }
  }

  #note({ worker, callers }: CrowdedWorker): void {
    const now = this.#options.clock.monotonic();
    for (const [workerId, { until }] of this.#crowded) if (until <= now) this.#crowded.delete(workerId);
    const until = now + crowdedMs;
    this.#crowded.set(worker, { callers: new Set(callers), until });
  }
}

/** What a run has under way in the world: calls, and requests for child runs. */

/** Why a flight is given up. `stop`: the run wants it ended. `leave`: this worker lets go of it, and reports nothing. */
export type AbortReason = { readonly kind: 'stop'; readonly reason: string } | { readonly kind: 'leave' };

interface InFlightCall {
  readonly path: string;
  /** Sent, and its outcome matters whoever drives the run. */
  mustLand: boolean;
  readonly controller: AbortController;
  readonly landed: Promise<void>;
}

export class InFlightCalls {
  readonly #open = new Map<string, InFlightCall>();

  get size(): number {
    return this.#open.size;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** `work` never rejects but for a bug; a rejection reaches whoever awaits `landed`. */
  start(key: string, path: string, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    const landed = work(controller.signal).finally(() => this.#open.delete(key));
    this.#open.set(key, { path, mustLand: false, controller, landed });
  }

  /** What is under way there is to be waited for, even where the run is lost. */
  mustLand(key: string): void {
    const flight = this.#open.get(key);
    if (flight !== undefined) flight.mustLand = true;
  }

  /** Gives up what is under way at a path; false: nothing is. */
  abort(path: string, reason: string): boolean {
    let isUnderWay = false;
    for (const flight of this.#open.values()) {
      if (flight.path !== path) continue;
      isUnderWay = true;
      if (!flight.controller.signal.aborted) flight.controller.abort({ kind: 'stop', reason } satisfies AbortReason);
    }
    return isUnderWay;
  }

  /** Gives up, without a report, calls that nobody waits for any more: their attempt is over. */
  leaveOthers(isWanted: (key: string, path: string) => boolean): void {
    for (const [key, { path, controller }] of this.#open) {
      if (!isWanted(key, path)) controller.abort({ kind: 'leave' } satisfies AbortReason);
    }
  }

  /** Gives up, without a report, what need not be waited for. Resolves when the rest has landed. */
  async leaveButWait(): Promise<void> {
    const rest = [...this.#open.values()].filter(({ mustLand, controller }) => {
      if (!mustLand) controller.abort({ kind: 'leave' } satisfies AbortReason);
      return mustLand;
    });
    await Promise.all(rest.map(({ landed }) => landed));
  }

  /** Gives up everything, without a report. */
  leave(): void {
    for (const { controller } of this.#open.values()) controller.abort({ kind: 'leave' } satisfies AbortReason);
  }
}

export const isLeaving = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as AbortReason | undefined)?.kind === 'leave';

/** What a run has under way in the world: calls, and requests for child runs. */

/** Why a flight is given up. `stop`: the run wants it ended. `leave`: this worker lets go of it, and reports nothing. */
export type AbortReason = { readonly kind: 'stop'; readonly reason: string } | { readonly kind: 'leave' };

interface Flight {
  readonly path: string;
  readonly controller: AbortController;
  readonly landed: Promise<void>;
}

export class Flights {
  readonly #open = new Map<string, Flight>();

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
    this.#open.set(key, { path, controller, landed });
  }

  /** Gives up what is under way at a path. */
  abort(path: string, reason: string): void {
    for (const flight of this.#open.values()) {
      if (flight.path === path && !flight.controller.signal.aborted) {
        flight.controller.abort({ kind: 'stop', reason } satisfies AbortReason);
      }
    }
  }

  /** Gives up everything, without a report. */
  leave(): void {
    for (const { controller } of this.#open.values()) controller.abort({ kind: 'leave' } satisfies AbortReason);
  }
}

export const isLeaving = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as AbortReason | undefined)?.kind === 'leave';

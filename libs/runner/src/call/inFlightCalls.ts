/** The calls and child requests of a run that have not ended yet. */

/**
 * Why a call is aborted. `stop`: the run no longer needs it. `leave`: this worker releases the run and does not report
 * how the call ends.
 */
export type AbortReason = { readonly kind: 'stop'; readonly reason: string } | { readonly kind: 'leave' };

interface InFlightCall {
  readonly path: string;
  /** The call was sent: its outcome matters, even when another worker drives the run. */
  wasSent: boolean;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class InFlightCalls {
  readonly #open = new Map<string, InFlightCall>();

  get size(): number {
    return this.#open.size;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** `work` rejects only for a bug; the rejection then reaches the code that awaits `ended`. */
  start(key: string, path: string, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    const ended = work(controller.signal).finally(() => this.#open.delete(key));
    this.#open.set(key, { path, wasSent: false, controller, ended });
  }

  /** Marks the call as sent: `leaveUnsent` waits for it. */
  markSent(key: string): void {
    const call = this.#open.get(key);
    if (call !== undefined) call.wasSent = true;
  }

  /** Aborts the call at a path; false where there is none. */
  abort(path: string, reason: string): boolean {
    let isUnderWay = false;
    for (const call of this.#open.values()) {
      if (call.path !== path) continue;
      isUnderWay = true;
      if (!call.controller.signal.aborted) call.controller.abort({ kind: 'stop', reason } satisfies AbortReason);
    }
    return isUnderWay;
  }

  /** Aborts, without a report, the calls whose attempt is over. */
  leaveUnwanted(isWanted: (key: string, path: string) => boolean): void {
    for (const [key, { path, controller }] of this.#open) {
      if (!isWanted(key, path)) controller.abort({ kind: 'leave' } satisfies AbortReason);
    }
  }

  /** Aborts, without a report, the calls that were not sent. Resolves when the others have ended. */
  async leaveUnsent(): Promise<void> {
    const rest = [...this.#open.values()].filter(({ wasSent, controller }) => {
      if (!wasSent) controller.abort({ kind: 'leave' } satisfies AbortReason);
      return wasSent;
    });
    await Promise.all(rest.map(({ ended }) => ended));
  }

  /** Aborts every call, without a report. */
  leave(): void {
    for (const { controller } of this.#open.values()) controller.abort({ kind: 'leave' } satisfies AbortReason);
  }
}

export const isLeaving = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as AbortReason | undefined)?.kind === 'leave';

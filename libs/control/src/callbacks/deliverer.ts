/**
 * Delivers callbacks when runs end: signed as Standard Webhooks, retried for days, only to allowed addresses. Delivery
 * is at least once; receivers deduplicate by `webhook-id`.
 */
import { FailureError } from '@baton/engine';
import { standardHeaders } from '@baton/protocol';
import { type BoundSecrets, type Clock, type TaskTrouble, BackgroundTask, trustedEvents } from '@baton/runner';
import { type Callback, type CallbackEnd, type Store, noteCallback, takeCallbacks } from '@baton/store';
import type { Outbound } from '@baton/transports';

import type { RunView } from '../shapes/runView.ts';
import { signatureOf } from './callbackSecret.ts';

export interface DelivererOptions {
  readonly store: Store;
  readonly secrets: BoundSecrets;
  readonly outbound: Outbound;
  readonly view: RunView;
  readonly clock: Clock;
  readonly onTrouble: TaskTrouble;
  /** Called for callbacks that the receiver refuses. */
  readonly onGivenUp: (runId: string, error: string) => void;
  /** Called after every attempt. */
  readonly onTried: (outcome: CallbackOutcome) => void;
}

export type CallbackOutcome = 'delivered' | 'to-be-retried' | 'given-up';

const everyMs = 2_000;
const batch = 20;
const timeoutMs = 10_000;
/** The delay after each attempt; after the last one Baton gives up. About three days in all. */
const waitsMs = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 86_400].map((s) => s * 1_000);

export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #rounds: BackgroundTask;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    const run = async (): Promise<number> => {
      await this.deliver();
      return everyMs;
    };
    this.#rounds = new BackgroundTask({ name: 'callbacks', clock, run, onTrouble });
  }

  start(): void {
    this.#rounds.start(everyMs);
  }

  /** Resolves when the delivery in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Sends all due callbacks. Resolves to their number. Rejects with `UnavailableError`. */
  async deliver(): Promise<number> {
    const { store, clock } = this.#options;
    for (let count = 0; ;) {
      const due = await takeCallbacks(store, { nowMs: clock.now(), limit: batch, holdMs: 3 * timeoutMs });
      const delivered = await Promise.allSettled(
        due.map((callback) => this.#rounds.tryRow(callback.runId, () => this.#deliver(callback))),
      );
      for (const one of delivered) if (one.status === 'rejected') throw one.reason;
      count += due.length;
      if (due.length < batch || this.#rounds.isClosed) return count;
    }
  }

  async #deliver(callback: Callback): Promise<void> {
    const { runId, attempts } = callback;
    const { onTried } = this.#options;
    const error = await this.#call(callback).catch(reasonOfFailure);
    if (error === undefined) {
      onTried('delivered');
      return noteCallback(this.#options.store, runId, { status: 'delivered' });
    }
    const waitMs = waitsMs[attempts - 1];
    const isOver = waitMs === undefined || error === gone;
    onTried(isOver ? 'given-up' : 'to-be-retried');
    if (isOver) this.#options.onGivenUp(runId, error);
    const end: CallbackEnd = isOver
      ? { status: 'given-up', error }
      : { status: 'pending', error, nextAt: this.#options.clock.now() + waitMs };
    await noteCallback(this.#options.store, runId, end);
  }

  /**
   * Resolves to the reason for a failure. Rejects with `UnavailableError`, and with `FailureError` where stored data of the
   * run was changed.
   */
  async #call({ runId, url, secret: name, workflow, version }: Callback): Promise<string | undefined> {
    const { store, secrets, outbound, clock, view } = this.#options;
    const use = signatureOf({ url, workflow: { id: workflow, isDeployed: version !== null } });
    const found = (await secrets.reveal([name], use)).get(name);
    if (found === undefined) return `there is no secret ${name} to sign it with`;
    if ('refused' in found) return found.refused;
    const opened = await store.journal.open(runId);
    const events = opened === undefined ? [] : trustedEvents(runId, opened);
    if (events.length === 0) return 'the journal of the run cannot be read';
    const data = await view.shown(runId, events);
    const nowMs = clock.now();
    const body = JSON.stringify({ type: 'run.finished', timestamp: new Date(nowMs).toISOString(), data });
    const signed = standardHeaders({ id: `run_${runId}`, body, secret: found.value, nowMs });
    const headers = { 'content-type': 'application/json', 'user-agent': 'baton', ...signed };
    try {
      const status = await outbound.post(url, { headers, body, timeoutMs });
      return status >= 200 && status < 300 ? undefined : answeredWith(status);
    } catch (cause) {
      return reasonOf(cause);
    }
  }
}

/** Throws what is no failure of this callback alone. */
function reasonOfFailure(error: unknown): string {
  if (error instanceof FailureError) return error.message;
  throw error;
}

function answeredWith(status: number): string {
  return `it was answered with ${status}`;
}

/** The receiver reports that it no longer exists. */
const gone = answeredWith(410);

/** The reason for a refused connection is in the cause of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  if (message !== '') return message;
  return cause instanceof Error ? cause.message : name;
}

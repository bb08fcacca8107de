/** Renews this worker's heartbeat, and closes the fence while it is not renewed in time. */
import type { Logger } from '@baton/boot';
import { type Clock, type Fence, type TimeReading, liveness, systemClock } from '@baton/runner';
import { type Store, type WorkerHeartbeat, beat, removeWorker } from '@baton/store';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly identity: Omit<WorkerHeartbeat, 'isDraining'>;
  /** The clocks of this machine. Absent: the system clock. */
  readonly clock?: MachineClocks;
  /** Called when the worker is asked to drain. */
  readonly onDrain: () => void;
  /** Called with the time of Postgres, which comes with each renewal. */
  readonly onTime: (told: TimeReading) => void;
}

type MachineClocks = Pick<Clock, 'monotonic' | 'now'>;

/** An instant by both clocks of this machine. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export class Heartbeat implements Fence {
  readonly #options: HeartbeatOptions;
  readonly #clock: MachineClocks;
  /** When the last successful renewal was sent. */
  #renewedAt: Moment = { monotonic: -Infinity, wall: -Infinity };
  /** Monotonic time of the first renewal after the heartbeat had been late. */
  #openedAt = -Infinity;
  #isDraining = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #wasLate = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  openSince(): number | undefined {
    return this.#isLate() ? undefined : this.#openedAt;
  }

  get state(): 'working' | 'late' | 'stopping' {
    if (this.#isDraining) return 'stopping';
    return this.#isLate() ? 'late' : 'working';
  }

  /** Resolves when the worker's row exists, and renews it until `close`. Rejects with `UnavailableError`. */
  async start(): Promise<void> {
    // Tried again at once, since the connection may just have been found dead.
    const renew = (): Promise<void> => this.#renew().catch(() => this.#renew());
    // A machine that starts has much to do: nothing depends on the time of this first one.
    await renew().catch(renew);
    this.#timer = setInterval(() => {
      renew().catch((error: unknown) => this.#onFailure(error));
    }, liveness.heartbeatMs);
  }

  /** Marks the worker as draining: alive, but taking no new runs. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#renew().catch((error: unknown) => this.#onFailure(error));
  }

  /** Removes the worker's row: other workers may take its runs over at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#renewedAt = { monotonic: -Infinity, wall: -Infinity };
    const { store, identity } = this.#options;
    await removeWorker(store, identity.id).catch((error: unknown) => this.#onFailure(error));
  }

  async #renew(): Promise<void> {
    const { store, identity, log, onDrain, onTime } = this.#options;
    const sentAt = this.#moment();
    const { isToDrain, timeMs } = await beat(store, { ...identity, isDraining: this.#isDraining });
    if (this.#isClosed) return;
    onTime({ sentAt: sentAt.monotonic, backAt: this.#clock.monotonic(), timeMs });
    if (isToDrain && !this.#isDraining) {
      this.#isDraining = true;
      onDrain();
    }
    if (this.#isLate()) this.#openedAt = this.#clock.monotonic();
    if (sentAt.monotonic >= this.#renewedAt.monotonic) this.#renewedAt = sentAt;
    if (this.#wasLate) log.info('the heartbeat is renewed again');
    this.#wasLate = false;
  }

  /**
   * The longer of the times by both clocks counts: the monotonic one stands still while the virtual machine is paused, and
   * the wall clock may be set back.
   */
  #isLate(): boolean {
    const { monotonic, wall } = this.#moment();
    return Math.max(monotonic - this.#renewedAt.monotonic, wall - this.#renewedAt.wall) >= liveness.fenceMs;
  }

  #moment(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  #onFailure(error: unknown): void {
    if (!this.#isLate() || this.#wasLate) return;
    this.#wasLate = true;
    this.#options.log.warn({ err: error }, 'the heartbeat could not be renewed; no call is made until it is');
  }
}

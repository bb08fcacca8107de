/** Meters of one process, for tests: `isAway` makes each of them unavailable. */
import { type Clock, type Meter, type Meters, type MeterTurn, UnavailableError } from '@baton/runner';

export class MemoryMeters implements Meters {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #full = new Map<string, number>();
  readonly #pauses = new Map<string, number>();
  isAway = false;
  /** Names of the meters that were asked, in order. */
  readonly asked: string[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async take({ name, server, everyMs, burst, withinMs = Infinity }: Meter): Promise<MeterTurn> {
    this.#check();
    this.asked.push(name);
    const now = this.#clock.now();
    const from = Math.max(now, this.#pauses.get(server) ?? 0);
    const full = Math.max(this.#full.get(name) ?? 0, from);
    const waitMs = Math.max(from, full - (burst - 1) * everyMs) - now;
    if (waitMs > withinMs) return { isTaken: false, waitMs };
    this.#full.set(name, full + everyMs);
    return { isTaken: true, waitMs };
  }

  async pause(server: string, forMs: number): Promise<void> {
    this.#check();
    this.#pauses.set(server, Math.max(this.#clock.now() + forMs, this.#pauses.get(server) ?? 0));
  }

  async pauses(): Promise<ReadonlyMap<string, number>> {
    this.#check();
    const now = this.#clock.now();
    return new Map([...this.#pauses].flatMap(([server, until]) => (until > now ? [[server, until - now]] : [])));
  }

  #check(): void {
    if (this.isAway) throw new UnavailableError('the meters are away');
  }
}

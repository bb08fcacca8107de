/** How long something was away: from when it was first missed until it answers. */
export class Outage {
  readonly #now: () => number;
  readonly #onBack: (awayMs: number) => void;
  #since: number | undefined;

  /** `onBack`: called once for each outage, when it is over. `now`: milliseconds, from any start, never backwards. */
  constructor(onBack: (awayMs: number) => void, now = (): number => performance.now()) {
    this.#onBack = onBack;
    this.#now = now;
  }

  /** It is missed; more than once says no more. */
  begin(): void {
    this.#since ??= this.#now();
  }

  /** It answers. */
  end(): void {
    if (this.#since === undefined) return;
    const awayMs = this.#now() - this.#since;
    this.#since = undefined;
    this.#onBack(awayMs);
  }
}

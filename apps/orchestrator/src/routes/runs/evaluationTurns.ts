/**
 * Limits expressions that clients try to a quarter of the process's time, one at a time. An expression may compute for
 * a tenth of a second, and blocks the event loop meanwhile (I7).
 */
import { ProblemError } from '@baton/api';
import { Semaphore } from '@baton/primitives';
import type { Clock } from '@baton/runner';

/** Expressions of one key in progress or waiting; further ones are refused. */
const ofKeyMax = 4;
/** The pause after an expression, as a multiple of its computing time. */
const restFactor = 3;
const never = new AbortController().signal;

type Evaluation<Value> = (computing: <Part>(work: () => Part) => Part) => Promise<Value>;

export class EvaluationTurns {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #turn = new Semaphore(1);
  readonly #ofKey = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#clock = clock;
  }

  /**
   * `evaluate` wraps each part that computes in `computing`, which measures it; waiting for Postgres does not count.
   * Rejects with `ProblemError` if the key tries too many at once, and with the errors of `evaluate`.
   */
  async within<Value>(key: string, evaluate: Evaluation<Value>): Promise<Value> {
    const before = this.#ofKey.get(key) ?? 0;
    if (before >= ofKeyMax) {
      throw new ProblemError('rate-limited', `This key tries ${ofKeyMax} expressions already. Wait for their values.`, {
        headers: { 'retry-after': '1' },
      });
    }
    this.#ofKey.set(key, before + 1);
    try {
      return await this.#inTurn(evaluate);
    } finally {
      const left = (this.#ofKey.get(key) ?? 1) - 1;
      if (left === 0) this.#ofKey.delete(key);
      else this.#ofKey.set(key, left);
    }
  }

  async #inTurn<Value>(evaluate: Evaluation<Value>): Promise<Value> {
    const end = await this.#turn.take(never);
    let computedMs = 0;
    try {
      return await evaluate((work) => {
        const begun = this.#clock.monotonic();
        try {
          return work();
        } finally {
          computedMs += this.#clock.monotonic() - begun;
        }
      });
    } finally {
      this.#clock.after(restFactor * computedMs, end);
    }
  }
}

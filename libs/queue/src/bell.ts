/**
 * Rings bells. Bells of one turn of the event loop share a round trip, and bells that come during a round trip, or soon
 * after one that carried many, share the next one: the more runs begin, the fewer messages each costs.
 */
import { randomBytes } from 'node:crypto';

import { invariant } from '@baton/engine';
import { Batches, endsWithin, unawaited, within, isUuid } from '@baton/primitives';
import { type Bell, type Ring, UnavailableError, BellPace } from '@baton/runner';

import { type BellJob, jobsOf, runsMax } from './bellJob.ts';

const jobsPerRoundTrip = 1_000;
/** Of one round trip, so that callers do not wait for an unreachable queue. */
export const usualAnswerMs = 1_000;

interface RingRequest {
  readonly rings: readonly Ring[];
  readonly settle: (failure: UnavailableError | undefined) => void;
}

export class QueueBell implements Bell {
  readonly #add: (jobs: BellJob[]) => Promise<unknown>;
  readonly #answerMs: number;
  readonly #pace: BellPace;
  /** Job ids never repeat: BullMQ silently drops an id that it still knows. */
  readonly #series = randomBytes(6).toString('hex');
  #jobs = 0;
  /** Number of rings for the next round trip. */
  #gathered = 0;
  /** Resolves when there are enough of them for a job. */
  #isFull = Promise.withResolvers<void>();
  readonly #batches = new Batches<RingRequest>({
    take: (waiting) => {
      this.#gathered = 0;
      this.#isFull = Promise.withResolvers();
      return waiting.splice(0);
    },
    carryOut: (requests) => this.#ringAll(requests),
    begin: (work) => {
      if (this.#waitMs() > 0) unawaited(this.#gather().then(work));
      else process.nextTick(work);
    },
    pause: () => this.#gather(),
  });

  /** `add` resolves when the queue has taken the jobs, for which a caller waits `answerMs`. `gatherMs`: see `BellPace`. */
  constructor(add: (jobs: BellJob[]) => Promise<unknown>, { answerMs = usualAnswerMs, gatherMs = 12 } = {}) {
    this.#add = add;
    this.#answerMs = answerMs;
    this.#pace = new BellPace(gatherMs);
  }

  async ring(rings: readonly Ring[]): Promise<void> {
    if (rings.length === 0) return;
    for (const { runId } of rings) invariant(isUuid(runId), 'a bell is rung for a text that is no run id');
    this.#gathered += rings.length;
    if (this.#gathered >= runsMax) this.#isFull.resolve();
    const sent = Promise.withResolvers<void>();
    this.#batches.add({ rings, settle: (failure) => (failure === undefined ? sent.resolve() : sent.reject(failure)) });
    await sent.promise;
  }

  async close(): Promise<void> {
    await this.#batches.idle();
  }

  /** Resolves when the bells that wait are to leave. */
  async #gather(): Promise<void> {
    const ms = this.#waitMs();
    if (ms > 0) await endsWithin(this.#isFull.promise, ms);
  }

  #waitMs(): number {
    return this.#pace.waitMs(performance.now());
  }

  /** Never rejects. */
  async #ringAll(requests: readonly RingRequest[]): Promise<void> {
    const rings = requests.flatMap((request) => request.rings);
    this.#pace.noteLeaving(rings.length, performance.now());
    const failure = await this.#send(rings).then(
      () => undefined,
      (error: UnavailableError) => error,
    );
    for (const { settle } of requests) settle(failure);
  }

  async #send(rings: readonly Ring[]): Promise<void> {
    const jobs = jobsOf(rings, () => this.#nextId());
    for (let from = 0; from < jobs.length; from += jobsPerRoundTrip) {
      const some = jobs.slice(from, from + jobsPerRoundTrip);
      try {
        await within(this.#add(some), this.#answerMs);
      } catch (cause) {
        const left = jobs.slice(from).reduce((sum, { data }) => sum + data.runs.length, 0);
        throw new UnavailableError(`the queue did not take ${left} of ${rings.length} bells`, { cause });
      }
    }
  }

  #nextId(): string {
    this.#jobs += 1;
    return `bell-${this.#series}-${this.#jobs}`;
  }
}

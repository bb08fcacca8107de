/**
 * Rings bells. Those of one turn of the event loop share a round trip, and those that come during one form the next:
 * the more runs begin, the fewer messages each costs.
 */
import { randomBytes } from 'node:crypto';

import { invariant } from '@baton/engine';
import { type Bell, type Ring, UnavailableError } from '@baton/runner';

import { type BellJob, jobsOf } from './bellJob.ts';
import { isRunId } from './runId.ts';
import { within } from './within.ts';

/** Longest wait for one round trip, so that callers do not wait for a queue that is away. */
const answerMs = 1_000;
const jobsPerRoundTrip = 1_000;

interface RingGroup {
  readonly rings: Ring[];
  readonly sent: Promise<void>;
}

export class QueueBell implements Bell {
  readonly #add: (jobs: BellJob[]) => Promise<unknown>;
  /** Job ids never repeat: BullMQ silently drops an id that it still knows. */
  readonly #series = randomBytes(6).toString('hex');
  #jobs = 0;
  /** Not on its way yet. */
  #group: RingGroup | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(add: (jobs: BellJob[]) => Promise<unknown>) {
    this.#add = add;
  }

  async ring(rings: readonly Ring[]): Promise<void> {
    if (rings.length === 0) return;
    for (const { runId } of rings) invariant(isRunId(runId), 'a bell is rung for something that is no run id');
    this.#group ??= this.#open();
    for (const ring of rings) this.#group.rings.push(ring);
    await this.#group.sent;
  }

  async close(): Promise<void> {
    await this.#group?.sent.catch(() => undefined);
    await this.#underWay;
  }

  #open(): RingGroup {
    const rings: Ring[] = [];
    const before = this.#underWay;
    const sent = this.#sendAfter(before, rings);
    return { rings, sent };
  }

  async #sendAfter(before: Promise<void>, rings: Ring[]): Promise<void> {
    await Promise.all([before, new Promise<void>((resolve) => process.nextTick(resolve))]);
    this.#group = undefined;
    const sent = this.#send(rings);
    this.#underWay = sent.catch(() => undefined);
    await sent;
  }

  async #send(rings: readonly Ring[]): Promise<void> {
    const jobs = jobsOf(rings, () => this.#nextId());
    for (let from = 0; from < jobs.length; from += jobsPerRoundTrip) {
      const some = jobs.slice(from, from + jobsPerRoundTrip);
      try {
        await within(answerMs, this.#add(some));
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

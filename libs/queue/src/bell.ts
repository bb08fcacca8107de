/**
 * Rings bells: one job per ring, holding the run's id and nothing else. Rings of one turn of the event loop share a
 * round trip.
 */
import { randomBytes } from 'node:crypto';

import { invariant } from '@baton/engine';
import { type Bell, type Ring, UnavailableError } from '@baton/runner';
import type { BulkJobOptions } from 'bullmq';

import { isRunId } from './runId.ts';
import { within } from './within.ts';

export interface BellJob {
  readonly name: string;
  readonly data: { readonly run: string };
  readonly opts: BulkJobOptions;
}

/** Longest wait for one round trip: a queue that is away is not waited for. */
const answerMs = 1_000;
const jobsPerRoundTrip = 1_000;
/** BullMQ's greatest; beyond it, it throws. */
const priorityMax = 2 ** 21 - 1;

interface Group {
  readonly rings: Ring[];
  readonly sent: Promise<void>;
}

export class QueueBell implements Bell {
  readonly #add: (jobs: BellJob[]) => Promise<unknown>;
  /** Job ids never repeat: BullMQ silently drops an id that it still knows. */
  readonly #series = randomBytes(6).toString('hex');
  #rung = 0;
  #group: Group | undefined;

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
  }

  #open(): Group {
    const rings: Ring[] = [];
    const turn = Promise.withResolvers<void>();
    setImmediate(turn.resolve);
    return {
      rings,
      sent: turn.promise.then(() => {
        this.#group = undefined;
        return this.#send(rings);
      }),
    };
  }

  async #send(rings: readonly Ring[]): Promise<void> {
    for (let from = 0; from < rings.length; from += jobsPerRoundTrip) {
      const jobs = rings.slice(from, from + jobsPerRoundTrip).map((ring) => this.#jobOf(ring));
      try {
        await within(answerMs, this.#add(jobs));
      } catch (cause) {
        throw new UnavailableError(`the queue did not take ${rings.length - from} of ${rings.length} bells`, { cause });
      }
    }
  }

  #jobOf({ runId, delayMs = 0, priority = 0 }: Ring): BellJob {
    this.#rung += 1;
    return {
      name: 'bell',
      data: { run: runId },
      opts: {
        jobId: `run-${runId}-${this.#series}${this.#rung}`,
        removeOnComplete: true,
        removeOnFail: true,
        ...(delayMs > 0 ? { delay: Math.ceil(delayMs) } : {}),
        ...(priority > 0 ? { priority: Math.min(Math.ceil(priority), priorityMax) } : {}),
      },
    };
  }
}

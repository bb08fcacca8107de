/** The run of a session before the present one: what it says about a call that may be one of its own. */
import { type Run, isEnded } from '@baton/engine';
import { NewestMap } from '@baton/primitives';
import { type Journal, openRun } from '@baton/runner';

import { type EqualWrite, equalWrites, mayBeDoubted } from './equalWrites.ts';
import { type WantedCall, digestOf } from './sessionCall.ts';

export interface PastRun {
  /** Undefined if it has ended: its calls are repeated no more. */
  readonly run: Run | undefined;
  /** A write in it that is equal to the call. */
  readonly equal: EqualWrite | undefined;
}

const remembered = 1_000;

export class PastRuns {
  readonly #journal: Pick<Journal, 'open'>;
  /** Of runs that have ended, which do not change. */
  readonly #writes = new NewestMap<string, ReadonlyMap<string, EqualWrite>>(remembered);

  constructor(journal: Pick<Journal, 'open'>) {
    this.#journal = journal;
  }

  /** Undefined where nothing in it matters for the call. Rejects with `UnavailableError`. */
  async read(runId: string, wanted: WantedCall): Promise<PastRun | undefined> {
    const known = this.#writes.get(runId);
    if (known !== undefined) return { run: undefined, equal: equalIn(known, wanted) };
    const { run } = (await openRun(this.#journal, runId)) ?? {};
    if (run === undefined) return undefined;
    const writes = equalWrites(run);
    if (!isEnded(run)) return { run, equal: equalIn(writes, wanted) };
    this.#writes.set(runId, writes);
    return { run: undefined, equal: equalIn(writes, wanted) };
  }
}

const equalIn = (writes: ReadonlyMap<string, EqualWrite>, wanted: WantedCall): EqualWrite | undefined =>
  mayBeDoubted(wanted) ? writes.get(digestOf(wanted)) : undefined;

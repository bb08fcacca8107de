/**
 * Computes the run as of any event, with the same `evolve` that the worker uses. Keeps intermediate states, so that a
 * jump folds at most a thousand events.
 */
import { type Run, type RunEvent, begin, evolve, Trace } from '@baton/engine';

const keptEvery = 1_000;

export interface RunMoment {
  readonly run: Run;
  readonly trace: Trace;
  /** Number of events that are folded in. */
  readonly seq: number;
}

export class RunFold {
  readonly #id: string;
  readonly #events: readonly RunEvent[];
  /** The states after 1, 1,001, 2,001, … events. */
  readonly #kept: Run[];
  #last: { readonly seq: number; readonly run: Run } | undefined;
  #trace = new Trace();
  #traced = 0;

  /** `other`: a fold of the same events, with which to share intermediate states. */
  constructor(id: string, events: readonly RunEvent[], other?: RunFold) {
    this.#id = id;
    this.#events = events;
    this.#kept = other === undefined ? [] : other.#kept;
  }

  /** Undefined while there is no event. */
  at(seq: number): RunMoment | undefined {
    const wanted = Math.min(seq, this.#events.length);
    if (wanted < 1) return undefined;
    return { run: this.#runAt(wanted), trace: this.#traceAt(wanted), seq: wanted };
  }

  #runAt(seq: number): Run {
    const [first] = this.#events;
    if (first === undefined) throw new Error('a journal without events has no run');
    this.#kept[0] ??= begin(this.#id, first);
    let at = Math.min(this.#kept.length - 1, Math.floor((seq - 1) / keptEvery));
    let run = this.#kept[at] ?? this.#kept[0];
    let done = at * keptEvery + 1;
    if (this.#last !== undefined && this.#last.seq <= seq && this.#last.seq > done) {
      ({ run, seq: done } = this.#last);
      at = Math.floor((done - 1) / keptEvery);
    }
    for (; done < seq; done += 1) {
      const event = this.#events[done];
      if (event !== undefined) run = evolve(run, event);
      if (done % keptEvery === 0) this.#kept[done / keptEvery] ??= run;
    }
    this.#last = { seq, run };
    return run;
  }

  /** The trace is changed in place: a step forwards continues it, a step backwards starts anew. */
  #traceAt(seq: number): Trace {
    if (seq < this.#traced) {
      this.#trace = new Trace();
      this.#traced = 0;
    }
    for (; this.#traced < seq; this.#traced += 1) {
      const event = this.#events[this.#traced];
      if (event !== undefined) this.#trace.take(event);
    }
    return this.#trace;
  }
}

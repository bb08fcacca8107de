/**
 * The journal of one new run, as far as drivers of this process write it: who waits for the run in this process has its
 * end as soon as it is durable.
 */
import { type Run, type RunEvent, isEnded } from '@baton/engine';
import type { StoredHere } from '@baton/runner';

export interface JournalOfRun {
  readonly run: Run;
  /** The whole journal. */
  readonly events: readonly RunEvent[];
}

export class EndHere {
  readonly #stored: StoredHere;
  #events: RunEvent[] = [];
  #unfollow: () => void = () => undefined;
  #onEnd: () => void = () => undefined;
  #ended: JournalOfRun | undefined;

  constructor(stored: StoredHere) {
    this.#stored = stored;
  }

  /** Undefined until the run has ended here; for ever where another process wrote a part of its journal. */
  get ended(): JournalOfRun | undefined {
    return this.#ended;
  }

  /** Call it before the run is stored; for another run, where this one is not. */
  begin(runId: string, first: RunEvent): void {
    this.#unfollow();
    this.#events = [first];
    this.#unfollow = this.#stored.follow(runId, (run, events) => this.#add(run, events));
  }

  onEnd(onEnd: () => void): void {
    this.#onEnd = onEnd;
    if (this.#ended !== undefined) onEnd();
  }

  close(): void {
    this.#unfollow();
    this.#events = [];
  }

  #add(run: Run, events: readonly RunEvent[]): void {
    // Another process appended between them: the journal has to be read.
    if (run.seq - events.length !== this.#events.length) return this.close();
    this.#events.push(...events);
    if (!isEnded(run)) return;
    this.#ended = { run, events: this.#events };
    this.#unfollow();
    this.#onEnd();
  }
}

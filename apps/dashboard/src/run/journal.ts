/**
 * Loads the journal of one run, and follows it until the run ends. Notifies readers at most a few times a second,
 * however many events arrive.
 */
import type { RunEvent } from '@baton/engine';

import { client } from '../api/client.ts';
import { reportCut, reportOpen } from '../api/connectionState.ts';

export interface JournalView {
  readonly events: readonly RunEvent[];
  /** Grows with every change; the list stays the same object. */
  readonly version: number;
  readonly isLoaded: boolean;
  readonly error: unknown;
}

/** The shortest interval of notifications; it grows with the number of events, which take longer to draw. */
const noticeMs = 150;
const eventsInNoticeMs = 40;
const pauseMs = 2_000;

export class Journal {
  readonly #runId: string;
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #view: JournalView;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string) {
    this.#runId = runId;
    this.#view = { events: this.#events, version: 0, isLoaded: false, error: undefined };
  }

  readonly view = (): JournalView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Follows until the run has ended or `signal` is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(signal);
        return this.#notice({ isLoaded: true });
      } catch (error) {
        if (signal.aborted) return;
        if (!isPassing(error)) return this.#notice({ error });
        reportCut();
        await new Promise((done) => setTimeout(done, pauseMs));
      }
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const onConnection = ({ state }: { readonly state: 'open' | 'cut' }): void => {
      if (state === 'open') reportOpen();
      else reportCut();
    };
    for await (const { event } of client.runs.follow(this.#runId, {
      after: this.#events.length,
      signal,
      onConnection,
    })) {
      this.#events.push(event);
      this.#timer ??= setTimeout(
        () => this.#notice({ isLoaded: true }),
        noticeMs + this.#events.length / eventsInNoticeMs,
      );
    }
  }

  #notice(change: Partial<JournalView>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#view = { ...this.#view, ...change, version: this.#view.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}

const isPassing = (error: unknown): boolean =>
  !(error instanceof Error && error.name === 'ProblemError' && 'status' in error && Number(error.status) < 500);

/** Turns a server's question during a call into a question of the run, and waits for the answer. */
import { type Question, type Run, type RunEvent, isEnded, stateAt } from '@baton/engine';
import { type Json, Latch } from '@baton/primitives';
import { type Bus, type Clock, type Journal, advance } from '@baton/runner';

import type { CallUnderWay } from './callsUnderWay.ts';

export interface AskRunOptions {
  readonly journal: Journal;
  readonly bus: Bus;
  readonly clock: Clock;
}

export interface AskRunLimits {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** How long the question stays open; absent: an hour. */
  readonly withinMs?: number;
  /** Its signal is aborted when the server knows the answer by itself; `answer` is then recorded instead of a person's. */
  readonly settled?: { readonly signal: AbortSignal; readonly answer: Json; readonly by: string };
}

/** Limited because a waiting call holds a session and a slot of this worker. */
const answerWithinMs = 3_600_000;
/** How often the journal is read, in case a hint was lost. */
const everyMs = 2_000;

type AnsweredQuestion = Extract<RunEvent, { type: 'question.answered' }>;

/**
 * The answer; undefined where none came in time, or none is needed any more. Asks the questions of one step one after the
 * other. Rejects with `UnavailableError`.
 */
export async function askRun(
  { journal, bus, clock }: AskRunOptions,
  call: CallUnderWay,
  asked: Pick<Question, 'message' | 'form' | 'url' | 'sample'>,
  { signal, settled, withinMs = answerWithinMs }: AskRunLimits,
): Promise<Json | undefined> {
  const { runId } = call;
  const given = AbortSignal.any([signal, call.ended]);
  const question: Question = { ...asked, expiresAt: clock.now() + withinMs };
  const growth = new RunGrowth({ bus, clock }, runId, settled === undefined ? [given] : [given, settled.signal]);
  let position: number | undefined;
  try {
    while (!given.aborted && clock.now() < (question.expiresAt ?? 0)) {
      if (position === undefined) {
        position = await put(journal, call, question, clock);
        if (position !== undefined) bus.publish({ runId, seq: position });
      } else {
        const events = (await journal.open(runId, position))?.events ?? [];
        position += events.length;
        const answer = events.find((event): event is AnsweredQuestion => isAnswer(event, call));
        if (answer !== undefined) return answer.answer;
        // A person may have answered at the same moment: the next round finds which answer came first.
        if (settled?.signal.aborted === true && (await settle({ journal, bus, clock }, call, settled))) continue;
      }
      await growth.next();
    }
    return undefined;
  } finally {
    growth.close();
  }
}

const isAnswer = (event: RunEvent, { path }: CallUnderWay): boolean =>
  event.type === 'question.answered' && event.path === path;

/** Records the server's own answer; false where the question is no longer open. */
async function settle(
  { journal, bus, clock }: AskRunOptions,
  call: CallUnderWay,
  { answer, by }: NonNullable<AskRunLimits['settled']>,
): Promise<boolean> {
  const { runId, path } = call;
  const advanced = await advance(journal, runId, (run) => {
    const asked = runningIn(run, call)?.asked;
    if (asked === undefined || asked.answer !== undefined) return [];
    return [{ type: 'question.answered', at: Math.max(clock.now(), run.at), path, answer, by }];
  });
  if (advanced === undefined || advanced.events.length === 0) return false;
  bus.publish({ runId, seq: advanced.run.seq });
  return true;
}

/** The state of the step while this attempt is running; else undefined. */
function runningIn(run: Run, { path, attempt }: CallUnderWay) {
  const state = stateAt(run, path);
  const isMade = !isEnded(run) && state?.status === 'running' && state.attempt === attempt;
  return isMade ? state : undefined;
}

/** Appends the question and returns its journal position; undefined where it cannot be asked yet. */
async function put(
  journal: Journal,
  call: CallUnderWay,
  question: Question,
  clock: Clock,
): Promise<number | undefined> {
  const { runId, path, attempt } = call;
  const advanced = await advance(journal, runId, (run) => {
    const at = Math.max(clock.now(), run.at);
    return mayAsk(run, call, at) ? [{ type: 'question.asked', at, path, attempt, question }] : [];
  });
  return advanced === undefined || advanced.events.length === 0 ? undefined : advanced.run.seq;
}

/**
 * Whether the step is on record as running and has no other open question. `step.started` of a `read` call may be
 * recorded a little after the call was made.
 */
function mayAsk(run: Run, call: CallUnderWay, at: number): boolean {
  const state = runningIn(run, call);
  if (state === undefined) return false;
  const { asked } = state;
  return asked === undefined || asked.answer !== undefined || (asked.question.expiresAt ?? Infinity) <= at;
}

/** Waits until the run's journal may have grown: after a hint, an aborted signal or `everyMs`. */
class RunGrowth {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #unsubscribe: () => void;
  readonly #latch = new Latch();

  constructor({ bus, clock }: Pick<AskRunOptions, 'bus' | 'clock'>, runId: string, signals: readonly AbortSignal[]) {
    this.#clock = clock;
    this.#signals = signals;
    this.#unsubscribe = bus.subscribe((hint) => {
      if (hint.runId === runId) this.#raise();
    }, 'foreign');
    for (const signal of signals) signal.addEventListener('abort', this.#raise, { once: true });
  }

  async next(): Promise<void> {
    const cancel = this.#clock.after(everyMs, this.#raise);
    await this.#latch.wait();
    cancel();
  }

  close(): void {
    this.#unsubscribe();
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#raise);
  }

  readonly #raise = (): void => this.#latch.raise();
}

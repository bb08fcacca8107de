/** Reads the questions of a run from its journal. There is no table that could disagree with it. */
import { createHash } from 'node:crypto';

import {
  type Parent,
  type Question,
  type Run,
  type RunEvent,
  type TracedStep,
  approvalKey,
  isEnded,
  replay,
  stateAt,
  Trace,
} from '@baton/engine';
import type { Effect } from '@baton/language';
import type { Json } from '@baton/primitives';
import { type Store, isRunId } from '@baton/store';

import { ValueDisplay } from '../shapes/showValue.ts';

export interface AskedQuestion {
  readonly id: string;
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | undefined;
  /** Digest of the definition of the run. */
  readonly definition: string;
  /** The effect of the gateway call that waits for the answer; absent: a step of a workflow waits. */
  readonly effect?: Effect | undefined;
  /** The inputs of the run; of large ones the beginning. */
  readonly inputs: Json;
  /** The parent of the run. */
  readonly parent: Parent | undefined;
  readonly path: string;
  readonly attempt: number;
  readonly question: Question;
  readonly askedAt: number;
  readonly isOpen: boolean;
  /** The author of the answer, if answered. */
  readonly by: string | undefined;
  /** The position in the journal of a server's question during a call; a call may ask several. */
  readonly seq?: number;
}

/** The id consists of run, step, attempt and position, so a question that is asked again has another id. */
export function questionId(runId: string, path: string, attempt: number, seq = ''): string {
  const digest = createHash('sha256').update(`${path}#${attempt}${seq}`).digest('hex').slice(0, 16);
  return `${runId}-${digest}`;
}

/** Undefined for a text that cannot be a question's id. */
export function runIdIn(id: string): string | undefined {
  const [, runId] = /^(.{36})-[\da-f]{16}$/.exec(id) ?? [];
  return runId !== undefined && isRunId(runId) ? runId : undefined;
}

/** The last question of each `ask` step, in the order in which the steps began; then all questions of servers. */
export function questionsIn(runId: string, events: readonly RunEvent[]): readonly AskedQuestion[] {
  const run = replay(runId, events);
  return [...Trace.of(events).steps.flatMap((step) => questionOf(run, step) ?? []), ...askedByServers(run, events)];
}

/** As `questionsIn`; none where there is no such run. Rejects with `UnavailableError`. */
export async function readQuestions(
  { journal }: { readonly journal: Pick<Store['journal'], 'open'> },
  runId: string,
): Promise<readonly AskedQuestion[]> {
  const opened = await journal.open(runId);
  return opened === undefined ? [] : questionsIn(runId, opened.events);
}

function questionOf(run: Run, { path, awaiting, attempts, by }: TracedStep): AskedQuestion | undefined {
  const asked = attempts.findLast(({ worker }) => worker === undefined);
  if (awaiting?.for !== 'answer' || asked === undefined) return undefined;
  const { n: attempt, startedAt: askedAt } = asked;
  const id = questionId(run.id, path, attempt);
  const { question } = awaiting;
  const isOpen = !isEnded(run) && isAwaited(run, { path, attempt, question });
  return { ...placeIn(run, path), id, attempt, question, askedAt, isOpen, by };
}

function placeIn(run: Run, path: string) {
  const { id: runId, workflow, version, definition, parent } = run;
  const inputs = new ValueDisplay(inputLimits).value(run.inputs);
  return { runId, workflow, version, definition, inputs, parent, path, effect: effectAt(run, path) };
}

const inputLimits = { valueBytes: 1_024, totalBytes: Number.POSITIVE_INFINITY };

function effectAt({ session }: Run, path: string): Effect | undefined {
  const call = session?.calls.find((one) => one.path === path || approvalKey(one.path) === path);
  if (call === undefined) return undefined;
  return call.target.verb === 'tool' ? call.target.effect.effect : 'read';
}

function askedByServers(run: Run, events: readonly RunEvent[]): readonly AskedQuestion[] {
  const asked = new Map<string, AskedQuestion>();
  const all: AskedQuestion[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === 'question.answered') {
      const before = asked.get(event.path);
      if (before !== undefined) all.push({ ...before, by: event.by });
      asked.delete(event.path);
    }
    if (event.type !== 'question.asked') continue;
    const { path, attempt, question, at: askedAt } = event;
    const before = asked.get(path);
    if (before !== undefined) all.push(before);
    const seq = index + 1;
    const id = questionId(run.id, path, attempt, `@${seq}`);
    asked.set(path, { ...placeIn(run, path), id, attempt, question, askedAt, by: undefined, seq, isOpen: false });
  }
  const last = [...asked.values()].map((one) => ({ ...one, isOpen: !isEnded(run) && isAwaited(run, one) }));
  return [...all, ...last].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

/** Whether the step, or the server that it calls, waits for the answer now. */
export function isAwaited(
  run: Run,
  { path, attempt, question, seq }: Pick<AskedQuestion, 'path' | 'attempt' | 'question' | 'seq'>,
): boolean {
  const state = stateAt(run, path);
  if (state === undefined || state.attempt !== attempt) return false;
  if (seq === undefined) {
    return state.status === 'waiting' && state.awaiting.for === 'answer' && state.arrived === undefined;
  }
  if (state.status !== 'running' || state.asked === undefined || state.asked.answer !== undefined) return false;
  // The previous question expired at another time.
  return state.asked.question.expiresAt === question.expiresAt;
}

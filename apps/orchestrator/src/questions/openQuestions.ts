/** Questions of a run, read from its journal: there is no table of them that could disagree with it. */
import { createHash } from 'node:crypto';

import type { Question, Run, RunEvent, TracedStep } from '@baton/engine';
import { replay, stateAt, Trace } from '@baton/engine';
import { isRunId } from '@baton/store';

export interface AskedQuestion {
  readonly id: string;
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly path: string;
  readonly attempt: number;
  readonly question: Question;
  readonly askedAt: number;
  readonly isOpen: boolean;
  /** Who answered, where somebody did. */
  readonly by: string | undefined;
}

/** Told apart by the run, the step and its attempt: asked again, it is another question. */
function questionId(runId: string, path: string, attempt: number): string {
  const digest = createHash('sha256').update(`${path}#${attempt}`).digest('hex').slice(0, 16);
  return `${runId}-${digest}`;
}

/** Undefined for what can be no question's id. */
export function runIdIn(id: string): string | undefined {
  const [, runId] = /^(.{36})-[\da-f]{16}$/.exec(id) ?? [];
  return runId !== undefined && isRunId(runId) ? runId : undefined;
}

/** The last question of each step that asked one, in the order in which the steps began. */
export function questionsIn(runId: string, events: readonly RunEvent[]): readonly AskedQuestion[] {
  const run = replay(runId, events);
  return Trace.of(events).steps.flatMap((step) => questionOf(run, step) ?? []);
}

function questionOf(run: Run, { path, awaiting, attempts, by }: TracedStep): AskedQuestion | undefined {
  const asked = attempts.findLast(({ worker }) => worker === undefined);
  if (awaiting?.for !== 'answer' || asked === undefined) return undefined;
  const { id: runId, workflow, version, endedAt } = run;
  const { n: attempt, startedAt: askedAt } = asked;
  const id = questionId(runId, path, attempt);
  const isOpen = endedAt === undefined && isAwaited(run, path, attempt);
  return { id, runId, workflow, version, path, attempt, question: awaiting.question, askedAt, isOpen, by };
}

/** Whether the step waits for an answer just now. */
export function isAwaited(run: Run, path: string, attempt: number): boolean {
  const state = stateAt(run, path);
  const isAsking = state?.status === 'waiting' && state.awaiting.for === 'answer' && state.arrived === undefined;
  return isAsking && state.attempt === attempt;
}

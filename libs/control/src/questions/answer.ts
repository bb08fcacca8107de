/** Answers a question: once, and with a value that fits its form. */
import { ProblemError } from '@baton/api';
import { type Run, findStep, stateAt } from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import { type Json, type JsonSchema, isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import type { Store } from '@baton/store';

import { type RunAppender, appendOutside, checkUnfinished } from '../intake/runAppender.ts';
import { checkInline } from '../intake/signal.ts';
import { checkToldOutput } from '../intake/toldOutput.ts';
import { checkCallEffect, checkEffectsOf, checkParentEffects } from '../keys/effects.ts';
import { onWorkflow } from '../keys/narrowing.ts';
import type { Principal } from '../keys/scopes.ts';
import { type AskedQuestion, isAwaited } from './openQuestions.ts';

export interface GivenAnswer {
  readonly answer: Json;
  readonly by: string;
}

/** Checks whether the key may cause what the answer starts. Rejects with `ProblemError` and `UnavailableError`. */
export async function checkAnswerEffects(
  caller: Principal,
  options: { readonly store: Store; readonly plans: Plans },
  { workflow, effect, definition, parent }: AskedQuestion,
): Promise<void> {
  const principal = onWorkflow(caller, workflow);
  if (effect === undefined) await checkEffectsOf(principal, options.plans, definition);
  else checkCallEffect(principal, effect);
  await checkParentEffects(principal, options, parent);
}

/** Resolves to the recorded answer, with the form's defaults. Rejects with `ProblemError` and `UnavailableError`. */
export async function answerQuestion(
  outside: RunAppender & { readonly plans: Plans },
  asked: AskedQuestion,
  { answer: given, by }: GivenAnswer,
): Promise<Json> {
  const { runId, path, question } = asked;
  const answer = fitAnswer(question.form, given);
  checkInline(answer, '/answer');
  await checkAnsweredOutput(outside.plans, asked, answer);
  await appendOutside(outside, runId, (run, at) => {
    checkAwaited(run, asked);
    checkUnfinished(run);
    if (question.expiresAt !== undefined && question.expiresAt <= at) throw expired(question.expiresAt);
    return [{ type: 'question.answered', at, path, answer, by }];
  });
  return answer;
}

/**
 * Declines a question. A server that asked learns it; a call that needed approval is not made. Rejects with
 * `ProblemError` and `UnavailableError`.
 */
export async function declineQuestion(outside: RunAppender, asked: AskedQuestion, by: string): Promise<void> {
  const { path, seq } = asked;
  await appendOutside(outside, asked.runId, (run, at) => {
    checkAwaited(run, asked);
    return [{ type: 'question.answered', at, path, answer: seq === undefined ? { approve: false } : null, by }];
  });
}

/** Throws `ProblemError`. */
function checkAwaited(run: Run, asked: AskedQuestion): void {
  if (!isAwaited(run, asked)) throw notOpen(run, asked);
}

/** Throws `ProblemError`. */
function fitAnswer(form: Json, given: Json): Json {
  const { inputs, errors } = validateInputs({ inputs: form as JsonSchema }, given);
  if (inputs !== undefined) return inputs;
  const [first] = errors;
  throw new ProblemError('validation-failed', first?.message ?? 'The answer does not fit the form.', {
    errors: errors.map(({ pointer, ...rest }) => ({ ...rest, pointer: `/answer${pointer}`, code: 'invalid-answer' })),
  });
}

/** Rejects with `ProblemError` and `UnavailableError`. */
async function checkAnsweredOutput(
  plans: Plans,
  { definition, effect, seq, path }: AskedQuestion,
  answer: Json,
): Promise<void> {
  const isAboutCall = effect === undefined && seq === undefined;
  if (!isAboutCall || !isObject(answer) || answer['happened'] !== true || answer['output'] === undefined) return;
  checkToldOutput(findStep(await plans(definition), path), answer['output'], '/answer/output');
}

/** The problem of a question that is not open; for an answered one it names who answered. */
function notOpen(run: Run, { path, by: before }: AskedQuestion): ProblemError {
  const state = stateAt(run, path);
  const told = state?.status === 'running' ? state.asked?.by : undefined;
  const arrived = state?.status === 'waiting' && state.arrived?.kind === 'answer' ? state.arrived.by : told;
  const by = arrived ?? (state?.status === 'succeeded' ? state.by : undefined) ?? before;
  if (by === 'expiry') return new ProblemError('question-closed', 'The question expired without an answer.');
  if (by !== undefined) return new ProblemError('already-answered', `${by} has answered the question already.`);
  return new ProblemError('question-closed', 'The run no longer waits for an answer to this question.');
}

const expired = (atMs: number): ProblemError =>
  new ProblemError('question-closed', `The question could be answered until ${new Date(atMs).toISOString()}.`);

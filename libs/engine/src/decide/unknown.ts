/** `ifUnknown`: a call was sent and its answer is lost. Nothing is repeated here unless the author asked for it. */
import { EvaluationError, describeValue, excerpt } from '@baton/expressions';
import type { Step, ToolStep } from '@baton/language';
import { type Json, isObject } from '@baton/primitives';

import { type Failure, lostAnswer, lostAnswerIn } from '../failure.ts';
import { checkFrame } from '../state/checkFrame.ts';
import { localsOf } from '../state/locate.ts';
import { enterFrame, scopeAt } from '../state/place.ts';
import type { StepState } from '../state/step.ts';
import { inFrame } from '../state/value.ts';
import { viewOf } from '../state/view.ts';
import { beginStep } from './begin.ts';
import type { BegunStep } from './begunStep.ts';
import { type BlockVerdict, type DecisionInProgress, open, stopped } from './decision.ts';
import type { DecideBlock } from './innerDecisions.ts';

/** A call that did not happen is made once more, also where `retry` allows one attempt. */
const sentAgain = 2;

/**
 * The answer of a call that happened, as a check or a person says it: also as text, which steps may read (MCP 2025-11-25,
 * Tools, Structured Content). Undefined: the answer is not known.
 */
export function saidAnswer(output: Json | undefined): { readonly json: Json } {
  if (output === undefined) return { json: { content: [], structuredContent: {} } };
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return { json: { content: [{ type: 'text', text }], structuredContent: output } };
}

type UnknownState = Extract<StepState, { status: 'unknown' }>;

/** Applies `ifUnknown`; undefined: the outcome stays unknown, which fails the step. A failure says why it stays so. */
export function decideUnknown(
  d: DecisionInProgress,
  begun: BegunStep<Step, UnknownState>,
  decideBlock: DecideBlock,
): BlockVerdict | undefined {
  const { step, state, place, stop } = begun;
  if (stop !== undefined) return stopped;
  if (step.verb !== 'tool') return undefined;
  switch (step.ifUnknown) {
    case 'fail':
      return undefined;
    case 'retry':
      if (state.attempt >= step.retry.attempts) return undefined;
      beginStep(d, step, place, state.attempt + 1);
      return open;
    case 'ask':
      askWhetherItHappened(d, { ...begun, step });
      return open;
    case 'check':
      return decideCheck(d, { ...begun, step }, decideBlock);
  }
}

/** JSON Schema of what a person says of a call whose answer was lost. */
export const confirmationForm = {
  type: 'object',
  properties: { happened: { type: 'boolean', title: 'Did the call happen?' }, output: { title: 'What it answered' } },
  required: ['happened'],
};

function askWhetherItHappened(d: DecisionInProgress, { step, state, path }: BegunStep<ToolStep, UnknownState>): void {
  d.events.push({
    type: 'step.waiting',
    at: d.nowMs,
    path,
    verb: 'tool',
    attempt: state.attempt,
    awaiting: { for: 'answer', question: { message: questionAbout(step, state.failure), form: confirmationForm } },
  });
}

function questionAbout({ server, tool }: ToolStep, failure: Failure): string {
  const lost = lostAnswerIn(failure);
  return lost === undefined
    ? `${failure.message} Did it happen?`
    : `Did the call to ${server}/${tool} happen? ${lostAnswer(lost)}`;
}

/** Runs the `check` step. Its answer becomes the step's value, or the step is tried again. */
function decideCheck(
  d: DecisionInProgress,
  { step, state, place, path, stop }: BegunStep<ToolStep, UnknownState>,
  decideBlock: DecideBlock,
): BlockVerdict | undefined {
  if (step.check === undefined) return undefined;
  const { block, happened, output, isDeclared } = step.check;
  const name = checkFrame(state.attempt);
  const locals = localsOf(step, state, { place, frame: name });
  const inside = enterFrame(place, path, name, state.frames.get(name), locals);
  const verdict = decideBlock(d, block, inside, stop);
  if (verdict.kind === 'failed')
    return undecided(state, `it failed (${verdict.failure.code}: ${inSentence(verdict.failure.message)})`);
  if (verdict.kind !== 'done') return verdict;
  const checked = block.steps[0] && inside.frame.steps.get(block.steps[0].key);
  if (checked === undefined) return undefined;
  try {
    const result = viewOf(checked, d.blobs);
    const found = happened.evaluate(scopeAt(inside, happened, { result }));
    // Neither true nor false says nothing about the call.
    if (typeof found !== 'boolean')
      return undecided(state, `\`happened\` gave ${describeValue(found)}, which is neither true nor false`);
    if (!found) {
      if (state.attempt >= Math.max(step.retry.attempts, sentAgain))
        return stillUnknown(state, 'Its check found that it did not happen; no attempt is left.', 'not-happened');
      beginStep(d, step, place, state.attempt + 1);
      return open;
    }
    const own = checked.status === 'succeeded' && isDeclared !== true ? inFrame(checked.value) : saidAnswer(undefined);
    const said = output?.evaluate(scopeAt(inside, output, { result })) ?? undefined;
    const value = said === undefined ? own : saidAnswer(said);
    const undoable = step.undo === undefined ? {} : { undoable: true as const };
    d.events.push({
      type: 'step.succeeded',
      at: d.nowMs,
      path,
      verb: 'tool',
      attempt: state.attempt,
      value,
      ...undoable,
    });
    return open;
  } catch (error) {
    if (error instanceof EvaluationError)
      return undecided(state, `it could not be evaluated (${inSentence(error.message)})`);
    throw error;
  }
}

/** The check ran, and the outcome stays unknown all the same. */
const undecided = (state: UnknownState, why: string): BlockVerdict =>
  stillUnknown(state, `Its check did not decide it: ${why}.`, 'undecided');

const stillUnknown = (
  { failure }: UnknownState,
  found: string,
  checked: 'undecided' | 'not-happened',
): BlockVerdict => ({
  kind: 'failed',
  failure: {
    ...failure,
    message: `${failure.message} ${found}`,
    details: { ...(isObject(failure.details) ? failure.details : {}), checked },
  },
});

/** In a sentence that goes on. */
const inSentence = (message: string): string => excerpt(message, 200).replace(/\.$/, '');

/** Decides the first open step of a block, whose steps run top to bottom, and returns the state of the block. */
import type { Block, Step } from '@baton/language';

import { type Failure, isCutByLimit, notVerified, sentenceOf } from '../failure.ts';
import { ensureFrame } from '../state/ensure.ts';
import { handlerOf } from '../state/locate.ts';
import { type StepPlace, enterFrame, errorView } from '../state/place.ts';
import { decideActive } from './active.ts';
import { beginStep } from './begin.ts';
import type { BegunStep } from './begunStep.ts';
import { type DecisionInProgress, type StopReason, type BlockVerdict, done, open, stopped } from './decision.ts';
import type { InnerDecisions } from './innerDecisions.ts';
import { decideUnknown } from './unknown.ts';

export function decideBlock(d: DecisionInProgress, block: Block, place: StepPlace, stop: StopReason): BlockVerdict {
  for (let i = lastBegun(block, place); i < block.steps.length; i++) {
    const step = block.steps[i];
    const verdict = step === undefined ? done : decideStep(d, step, place, stop);
    if (verdict.kind !== 'done') return verdict;
  }
  return done;
}

const inner: InnerDecisions = { decideBlock, decideStep };

/** Index of the last step that has begun; 0 where none has. The steps before it are done, and stay done. */
function lastBegun({ steps }: Block, { frame }: StepPlace): number {
  let from = 0;
  for (let to = steps.length; to - from > 1;) {
    const middle = Math.floor((from + to) / 2);
    if (frame.steps.has(steps[middle]?.key ?? '')) from = middle;
    else to = middle;
  }
  return from;
}

/** Begins the step where it is pending and nothing stops it; otherwise returns its state. */
function decideStep(d: DecisionInProgress, step: Step, place: StepPlace, stop: StopReason): BlockVerdict {
  const state = place.frame.steps.get(step.key);
  if (state !== undefined) return decideBegun(d, { step, state, place, path: place.prefix + step.key, stop });
  if (stop !== undefined) return stopped;
  if (d.isProbe || d.isEnough()) return open;
  beginStep(d, step, place, 1);
  return open;
}

function decideBegun(d: DecisionInProgress, begun: BegunStep): BlockVerdict {
  const { state } = begun;
  switch (state.status) {
    case 'succeeded':
      return ensured(d, begun);
    case 'skipped':
      return done;
    case 'cancelled':
      return stopped;
    case 'failed':
      return afterFailure(d, begun, state.failure);
    case 'unknown': {
      const verdict = decideUnknown(d, { ...begun, state }, decideBlock) ?? { kind: 'failed', failure: state.failure };
      return verdict.kind === 'failed' ? afterFailure(d, begun, verdict.failure) : verdict;
    }
    case 'running':
    case 'waiting':
    case 'retrying':
      if (!d.isProbe) decideActive(d, { ...begun, state }, inner);
      return open;
  }
}

/** A step is over when what it must `ensure` is true; its own outcome stays as it is. */
function ensured(d: DecisionInProgress, begun: BegunStep): BlockVerdict {
  const { step, state, place, path, stop } = begun;
  if (step.ensure === undefined) return done;
  const inside = enterFrame(place, path, ensureFrame, state.frames.get(ensureFrame), {});
  const verdict = decideBlock(d, step.ensure, inside, stop);
  return verdict.kind === 'failed' ? afterFailure(d, begun, verdict.failure) : verdict;
}

/** Applies `onError` to a failure before it reaches the block. */
function afterFailure(
  d: DecisionInProgress,
  { step, state, place, path, stop }: BegunStep,
  failure: Failure,
): BlockVerdict {
  // After a limit there is nothing to go on to, and no handler begins.
  const isLast = place.exceeded !== undefined && isCutByLimit(failure) && !state.frames.has('@onError');
  if (step.onError === 'ignore' && !isLast) return done;
  const handler = handlerOf(step, failure.code);
  if (handler === undefined || isLast) return { kind: 'failed', failure };
  const inside = enterFrame(place, path, '@onError', state.frames.get('@onError'), { error: errorView(failure) });
  const verdict = decideBlock(d, handler, inside, stop);
  return failure.code === notVerified ? stillUnverified(failure, verdict, place) : verdict;
}

/** A world that could not be read is no reason to change it, also where the handler fails. */
function stillUnverified(failure: Failure, verdict: BlockVerdict, { exceeded }: StepPlace): BlockVerdict {
  const ended = verdict.kind === 'stopped' ? exceeded : undefined;
  const why = verdict.kind === 'failed' ? verdict.failure : ended;
  if (why === undefined) return verdict;
  const message = `${sentenceOf(failure.message)} Its handler did not succeed (${why.code}): ${sentenceOf(why.message)}`;
  return { kind: 'failed', failure: { ...failure, message } };
}

/** How a run finds out whether a call of the run before it happened, whose answer was lost, before it makes it again. */
import type { References } from '@baton/expressions';
import { type CheckPlan, type Step, targetOf } from '@baton/language';

import { unknownOutcome } from '../decide/judge.ts';
import { confirmationForm } from '../decide/unknown.ts';
import type { Failure } from '../failure.ts';
import { targetOfCall } from '../state/calledName.ts';
import type { Call, EventOf, RunEvent, ToldOutcome } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import type { PastStep } from './pastSteps.ts';

/** As the step's `ifUnknown` says: by its check, or by a person. */
export interface Lookup {
  readonly by: 'check' | 'person';
  /** What the check calls: `server/tool`. */
  readonly target?: string;
  /** What the person has said already. */
  readonly happened?: boolean;
}

/** A call of a run that has ended, whose answer was lost. */
export interface LostCall {
  readonly call: Call;
  /** Position in the journal of the event that says so. */
  readonly at: number;
  readonly failure: Failure;
}

/** The last attempt, or an earlier one with the same key, if nothing has found out since whether it happened. */
export function lostCallOf({ call, lost, lastAttempt }: PastStep): LostCall | undefined {
  if (call === undefined || lost === undefined) return undefined;
  const isOpen = lost.attempt === lastAttempt || (call.verb === 'tool' && call.isKeyed === true);
  return isOpen ? { call, at: lost.at, failure: lost.failure } : undefined;
}

/** What the new run begins with. It has made no attempt, so all of them are left. */
export const unknownInRerun = (
  { at, path }: { readonly at: number; readonly path: Path },
  lost: LostCall,
): EventOf<'step.unknown'> => {
  const { call, failure } = lost;
  return { type: 'step.unknown', at, path, attempt: 1, failure: lostFailure(failure, call), kept: lost.at + 1, call };
};

/** The question of `ifUnknown: ask`, answered before it was asked. */
export function answeredInRerun(
  at: number,
  { call, path }: EventOf<'step.unknown'>,
  { by, happened, output }: ToldOutcome,
): readonly RunEvent[] {
  const called = call === undefined ? '' : ` to ${targetOfCall(call)}`;
  const question = { message: `Did the call${called} happen?`, form: confirmationForm };
  const answer = { happened, ...(output !== undefined && { output }) };
  return [
    { type: 'step.waiting', at, path, verb: 'tool', attempt: 1, awaiting: { for: 'answer', question } },
    { type: 'question.answered', at, path, answer, by },
  ];
}

/** What was said of the call of the step, unless it is of another kind of step: only tools have such a question. */
export const toldOf = ({ verb }: Step, path: Path, told: readonly ToldOutcome[] | undefined): ToldOutcome | undefined =>
  verb === 'tool' ? told?.find((one) => one.path === path) : undefined;

/** What was said of calls of the child run that the step has requested, and of the runs below it. */
export function toldBelow(
  step: Path,
  told: readonly ToldOutcome[] | undefined,
): { readonly told?: readonly ToldOutcome[] } {
  const prefix = `${step}>`;
  const below = (told ?? []).flatMap((one) =>
    one.path.startsWith(prefix) ? [{ ...one, path: one.path.slice(prefix.length) }] : [],
  );
  return below.length === 0 ? {} : { told: below };
}

/** A keyed call failed with why its answer was lost. */
const lostFailure = (failure: Failure, call: Call): Failure =>
  failure.code === 'outcome-unknown' ? failure : unknownOutcome(failure, { verb: call.verb, call });

/** Of the calls that the new run begins with as unknown. */
export const lookupsIn = (
  events: readonly RunEvent[],
  lookupAt: (path: Path) => Lookup | undefined,
): ReadonlyMap<Path, Lookup> =>
  new Map(
    events.flatMap((event) => {
      const lookup = event.type === 'step.unknown' ? lookupAt(event.path) : undefined;
      return event.type === 'step.unknown' && lookup !== undefined ? [[event.path, lookup] as const] : [];
    }),
  );

/** `isSame`: what the expression reads is in the new run as it was in the old one. Undefined: nothing finds it out. */
export function lookupOf(
  step: Step,
  isSame: (reads: References) => boolean,
  told: ToldOutcome | undefined,
): Lookup | undefined {
  if (step.verb !== 'tool') return undefined;
  if (told !== undefined) return { by: 'person', happened: told.happened };
  if (step.ifUnknown === 'ask') return { by: 'person' };
  if (step.ifUnknown !== 'check' || step.check === undefined) return undefined;
  const [read] = step.check.block.steps;
  const target = read && targetOf(read);
  // It would look for another call than the one that was made, and not find it.
  return target === undefined || !readsOf(step.check).every(isSame) ? undefined : { by: 'check', target };
}

function readsOf({ block, happened, output }: CheckPlan): readonly References[] {
  const inCalls = block.steps.flatMap((step) => {
    if (step.verb === 'tool') return [step.with];
    return step.verb === 'resource' ? [step.uri, step.with] : [];
  });
  return [...inCalls, happened, ...(output === undefined ? [] : [output])];
}

/** In a run of the same version, with the same inputs, that keeps the outcomes before the step. */
export const isSameInRerun = ({ names }: References): boolean => !names.includes('run');

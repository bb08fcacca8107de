/**
 * Says what deploying a workflow would change: the calls it makes and how often, what starts it, and runs of the
 * version before.
 */
import { type Effect, type Plan, type Step, effectOfStep, strongerEffect, targetOf, verbTraits } from '@baton/language';
import { digestOf } from '@baton/protocol';
import type { Pins } from '@baton/store';

import { stepsIn } from '../trial/stepsIn.ts';

export interface PlannedCall {
  /** `server/tool`, `sample`, `workflow name`. */
  readonly target: string;
  /** The strongest of its calls, by the steps and by the server: what the author says never weakens it. */
  readonly effect: Effect;
  /** The strongest that the steps themselves say, where that is weaker. */
  readonly stated?: Effect;
  /** How often in one run, retries excluded. */
  readonly atMost: number;
}

/** The calls that a run may make, in the order of the steps; each target once. */
export function plannedCalls(plan: Plan): readonly PlannedCall[] {
  const calls = new Map<string, Required<PlannedCall>>();
  for (const { step, times } of stepsIn(plan)) {
    const target = callNameOf(step);
    if (target === undefined) continue;
    const before = calls.get(target);
    const effect = strongerEffect(before?.effect ?? 'read', effectOfStep(step));
    const own = step.verb === 'tool' ? step.effect.effect : effectOfStep(step);
    const stated = strongerEffect(before?.stated ?? 'read', own);
    calls.set(target, { target, effect, stated, atMost: (before?.atMost ?? 0) + times });
  }
  return [...calls.values()].map(({ target, effect, stated, atMost }) => ({
    target,
    effect,
    ...(stated === effect ? {} : { stated }),
    atMost: Math.min(atMost, Number.MAX_SAFE_INTEGER),
  }));
}

/** Where neither the address of a resource nor a name alone says what is called. */
function callNameOf(step: Step): string | undefined {
  if (step.verb === 'resource') return `resource of ${step.server}`;
  if (step.verb === 'workflow') return `workflow ${step.workflow}`;
  if (step.verb === 'sample') return 'sample';
  return verbTraits[step.verb].acts === 'no' ? undefined : targetOf(step);
}

export interface DeploymentConsequences {
  readonly workflow: string;
  /** The version that it replaces; 0 for a new workflow. */
  readonly replaces: number;
  readonly calls: readonly PlannedCall[];
  /** Its triggers, in words. */
  readonly triggers: readonly string[];
  /** What would become of its schedules, in words. */
  readonly schedules: readonly string[];
  /** Unfinished runs of the version that it replaces; they keep that version. */
  readonly runsUnderWay: number;
}

/**
 * The digest that confirms a deployment: of these consequences and of the definition, that is of the text and of its
 * tools as they are pinned. Unfinished runs are not part of it, because they change.
 */
export const consequencesDigest = (
  { workflow, replaces, calls, triggers, schedules }: DeploymentConsequences,
  definition: string,
): string => digestOf({ workflow, replaces, calls, triggers, schedules, definition }).slice(0, 16);

/** Whether a tool is another one than in the version before, by its schemas or by its texts; new ones are other calls. */
export const hasOtherTools = (pins: Pins, before: Pins): boolean =>
  Object.entries(pins).some(([tool, { contract, text }]) => {
    const old = before[tool];
    return old !== undefined && (old.contract !== contract || old.text !== text);
  });

/** Whether there is a call, an effect or a trigger that was not there before, or a call that can be made more often. */
export function armsMore(
  { calls, triggers }: Pick<DeploymentConsequences, 'calls' | 'triggers'>,
  before: Pick<DeploymentConsequences, 'calls' | 'triggers'>,
): boolean {
  const known = new Map(before.calls.map((call) => [call.target, call]));
  const isNew = ({ target, effect, atMost }: PlannedCall): boolean => {
    const old = known.get(target);
    return old === undefined || atMost > old.atMost || strongerEffect(effect, old.effect) !== old.effect;
  };
  return calls.some(isNew) || triggers.some((one) => !before.triggers.includes(one));
}

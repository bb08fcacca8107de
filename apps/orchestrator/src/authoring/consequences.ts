/**
 * Says what deploying a workflow would change: the calls it makes and how often, what starts it, and runs of the
 * version before.
 */
import type { Effect, Plan, Step } from '@baton/language';
import { digestOf } from '@baton/protocol';

import { effectOfStep, stronger } from '../keys/effects.ts';
import { stepsIn } from './stepsIn.ts';

export interface PlannedCall {
  /** `server/tool`, `sample`, `workflow name`. */
  readonly target: string;
  /** The strongest of its calls. */
  readonly effect: Effect;
  /** How often in one run, retries excluded. */
  readonly atMost: number;
}

/** The calls that a run may make, in the order of the steps; each target once. */
export function plannedCalls(plan: Plan): readonly PlannedCall[] {
  const calls = new Map<string, PlannedCall>();
  for (const { step, times } of stepsIn(plan)) {
    const target = targetOf(step);
    if (target === undefined) continue;
    const before = calls.get(target);
    const effect = stronger(before?.effect ?? 'read', effectOfStep(step));
    calls.set(target, { target, effect, atMost: (before?.atMost ?? 0) + times });
  }
  return [...calls.values()].map((call) => ({ ...call, atMost: Math.min(call.atMost, Number.MAX_SAFE_INTEGER) }));
}

function targetOf(step: Step): string | undefined {
  switch (step.verb) {
    case 'tool':
      return `${step.server}/${step.tool}`;
    case 'prompt':
      return `${step.server}/${step.prompt}`;
    case 'resource':
      return `resource of ${step.server}`;
    case 'workflow':
      return `workflow ${step.workflow}`;
    case 'sample':
      return 'sample';
    default:
      return undefined;
  }
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
 * The digest that confirms a deployment: of the text and these consequences. Unfinished runs are not part of it,
 * because they change.
 */
export const consequencesDigest = (
  { workflow, replaces, calls, triggers, schedules }: DeploymentConsequences,
  source: string,
): string => digestOf({ workflow, replaces, calls, triggers, schedules, source }).slice(0, 16);

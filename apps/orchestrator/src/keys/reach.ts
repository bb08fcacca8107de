/** How far a key reaches: which workflows, and what what it starts may do to the world. */
import { ProblemError } from '@baton/api';
import type { Block, Effect, Plan, Step } from '@baton/language';

import { isComposed } from './composed.ts';
import type { Principal } from './scopes.ts';

/** Whether the key has anything to do with the workflow. What it does not reach is not there for it. */
export const reaches = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows?.has(workflow) ?? true;

const strength: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, write: 2 };

/** Throws `ProblemError` where the key may not start what the workflow does. */
export function checkEffects({ effects }: Principal, plan: Plan): void {
  if (effects === undefined) return;
  const strongest = effectOf(plan);
  if (strength[strongest] <= strength[effects]) return;
  const detail = `This key may start workflows that ${verbs[effects]}; ${plan.workflow} may ${strongest === 'write' ? 'write' : 'change something'}.`;
  throw new ProblemError('forbidden', detail);
}

const verbs: Readonly<Record<Effect, string>> = {
  read: 'only read',
  idempotent: 'only read, or can be repeated safely',
  write: 'write',
};

/**
 * The strongest effect of any call in the workflow. What a child run does is not known here: it counts as a write; and so
 * do idempotent calls that a second run may make with other arguments.
 */
export function effectOf(plan: Plan): Effect {
  const strongest = stepsOf(plan).map(effectOfStep).reduce(stronger, 'read');
  return strongest === 'idempotent' && !isComposed(plan) ? 'write' : strongest;
}

/** All of them, wherever they stand. */
export const stepsOf = ({ steps, onFailure, finally: last }: Plan): readonly Step[] =>
  [steps, onFailure, last].flatMap((block) => (block === undefined ? [] : stepsIn(block)));

const stronger = (a: Effect, b: Effect): Effect => (strength[a] >= strength[b] ? a : b);

const effectOfStep = (step: Step): Effect =>
  step.verb === 'tool' ? step.effect.effect : step.verb === 'workflow' ? 'write' : 'read';

const stepsIn = ({ steps }: Block): readonly Step[] =>
  steps.flatMap((step) => [step, ...blocksIn(step).flatMap(stepsIn)]);

function blocksIn(step: Step): readonly Block[] {
  const handlers = typeof step.onError === 'string' ? [] : step.onError.map(({ block }) => block);
  const undo = step.undo === undefined ? [] : [step.undo];
  return [...handlers, ...undo, ...innerBlocks(step)];
}

function innerBlocks(step: Step): readonly Block[] {
  switch (step.verb) {
    case 'tool':
      return step.check === undefined ? [] : [step.check.block];
    case 'parallel':
      return [{ pointer: step.pointer, steps: step.steps }];
    case 'switch':
      return step.cases.map(({ block }) => block);
    case 'forEach':
    case 'repeat':
      return [step.body];
    default:
      return [];
  }
}

/**
 * What is inside a step. Each verb is named here, so a new one does not compile until this says which steps it holds:
 * what a key may start, what is shown and what is counted is read from here.
 */
import type { Block, Plan, Step } from './plan.ts';

/** The blocks inside a step that run as a part of it, its `check`, its `ensure` and its `finally` among them. */
export const innerBlocks = (step: Step): readonly Block[] => [
  ...blocksOfVerb(step),
  ...(step.ensure === undefined ? [] : [step.ensure]),
];

function blocksOfVerb(step: Step): readonly Block[] {
  switch (step.verb) {
    case 'tool':
      return step.check === undefined ? [] : [step.check.block];
    case 'parallel':
      return [{ pointer: step.pointer, steps: step.steps }];
    case 'steps':
      return step.finally === undefined ? [step.body] : [step.body, step.finally];
    case 'switch':
      return step.cases.map(({ block }) => block);
    case 'forEach':
    case 'repeat':
    case 'ensure':
      return [step.body];
    case 'prompt':
    case 'resource':
    case 'sample':
    case 'ask':
    case 'wait':
    case 'set':
    case 'workflow':
    case 'fail':
      return [];
  }
}

/** The blocks that run because of what became of a step: those of `onError`, and `undo`. */
export const answeringBlocks = ({ onError, undo }: Step): readonly Block[] => [
  ...(typeof onError === 'string' ? [] : onError.map(({ block }) => block)),
  ...(undo === undefined ? [] : [undo]),
];

/** All blocks of a step. */
export const blocksOf = (step: Step): readonly Block[] => [...answeringBlocks(step), ...innerBlocks(step)];

/** All steps of a block, at any depth. */
export const stepsIn = ({ steps }: Block): readonly Step[] =>
  steps.flatMap((step) => [step, ...blocksOf(step).flatMap(stepsIn)]);

/** The blocks of a workflow itself. */
export const rootBlocks = ({ steps, onFailure, finally: last }: Plan): readonly Block[] =>
  [steps, onFailure, last].flatMap((block) => block ?? []);

/** All steps of a workflow, at any depth. */
export const stepsOf = (plan: Plan): readonly Step[] => rootBlocks(plan).flatMap(stepsIn);

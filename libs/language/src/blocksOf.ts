/**
 * What is inside a step. Each verb is named here, so a new one does not compile until this says which steps it holds:
 * what a key may start, what is shown and what is counted is read from here.
 */
import type { Block, Plan, Step } from './plan.ts';

/** `shared`: its steps are in the frame around the step; `item`: in a frame for each item or round. */
export type BlockRole = 'shared' | 'item' | 'check' | 'ensure' | 'onError' | 'undo' | 'finally';

interface InnerBlock {
  readonly role: BlockRole;
  readonly block: Block;
}

/** The blocks of the verb. Those of a `switch` are in the order of its cases. */
function blocksOfVerb(step: Step): readonly InnerBlock[] {
  switch (step.verb) {
    case 'tool':
      return inRole('check', step.check?.block);
    case 'parallel':
      return inRole('shared', { pointer: step.pointer, steps: step.steps });
    case 'steps':
      return [...inRole('shared', step.body), ...inRole('finally', step.finally)];
    case 'switch':
      return step.cases.flatMap(({ block }) => inRole('shared', block));
    case 'forEach':
    case 'repeat':
    case 'ensure':
      return inRole('item', step.body);
    case 'prompt':
    case 'resource':
    case 'sample':
    case 'ask':
    case 'wait':
    case 'set':
    case 'state':
    case 'workflow':
    case 'fail':
      return [];
  }
}

const inRole = (role: BlockRole, block: Block | undefined): readonly InnerBlock[] =>
  block === undefined ? [] : [{ role, block }];

/** The blocks that run because of what became of a step: those of `onError`, and `undo`. */
export const answeringBlocks = (step: Step): readonly Block[] => [
  ...blocksInRole(step, 'onError'),
  ...blocksInRole(step, 'undo'),
];

/** All blocks inside a step. */
const innerBlocks = (step: Step): readonly InnerBlock[] => [
  ...(typeof step.onError === 'string' ? [] : step.onError.flatMap(({ block }) => inRole('onError', block))),
  ...inRole('undo', step.undo),
  ...blocksOfVerb(step),
  ...inRole('ensure', step.ensure),
];

export const blocksInRole = (step: Step, role: BlockRole): readonly Block[] =>
  innerBlocks(step).flatMap((inner) => (inner.role === role ? [inner.block] : []));

export const blocksOf = (step: Step): readonly Block[] => innerBlocks(step).map(({ block }) => block);

/** All steps of a block, at any depth. */
export const stepsIn = ({ steps }: Block): readonly Step[] =>
  steps.flatMap((step) => [step, ...blocksOf(step).flatMap(stepsIn)]);

/** The blocks of a workflow itself. */
export const rootBlocks = ({ steps, onFailure, finally: last }: Plan): readonly Block[] =>
  [steps, onFailure, last].flatMap((block) => block ?? []);

/** All steps of a workflow, at any depth. */
export const stepsOf = (plan: Plan): readonly Step[] => rootBlocks(plan).flatMap(stepsIn);

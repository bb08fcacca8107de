/**
 * What an item of a `forEach` does in its own frame: it runs the body, or requests a child run where items are
 * distributed.
 */
import type { Template } from '@baton/expressions';
import type { Block, ForEachStep, WorkflowStep } from '@baton/language';

const itemRunBlocks = new WeakMap<ForEachStep, Block>();
const itemRunSteps = new WeakSet<WorkflowStep>();

/** Key of the step that requests the run of an item: `scans/3/run`. */
export const itemRunKey = 'run';

export function bodyOf(step: ForEachStep): Block {
  if (!step.distribute) return step.body;
  const known = itemRunBlocks.get(step);
  if (known !== undefined) return known;
  const { pointer, retry } = step;
  const run: WorkflowStep = {
    key: itemRunKey,
    pointer,
    timeout: {},
    retry,
    onError: 'fail',
    needs: [],
    verb: 'workflow',
    workflow: '',
    with: { ...nothing, pointer },
  };
  itemRunSteps.add(run);
  const block = { pointer, steps: [run] };
  itemRunBlocks.set(step, block);
  return block;
}

export const isItemRun = (step: WorkflowStep): boolean => itemRunSteps.has(step);

const nothing: Template<Record<string, never>> = {
  pointer: '',
  names: [],
  steps: [],
  secrets: [],
  evaluate: () => ({}),
};

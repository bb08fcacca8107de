/**
 * Decides whether a workflow of idempotent calls is idempotent itself: whether a second run with the same inputs makes
 * the same calls. Counter-example: reading a balance and setting it to ten more adds ten each time.
 */
import type { References } from '@baton/expressions';
import { type Block, type Plan, type Step, answeringBlocks, blocksOf, toolEffectOf } from '@baton/language';

/** Names and step ids whose values are the same in each run with the same inputs. */
interface StableNames {
  readonly names: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

export function isComposed({ steps, onFailure, finally: last }: Plan): boolean {
  const inputs: StableNames = { names: new Set(['inputs', 'index', 'steps']), steps: new Set() };
  // Steps after a failure depend on how calls went.
  return (
    isSteadyBlock(steps, inputs) && [onFailure, last].every((one) => one === undefined || isSteadyBlock(one, inputs))
  );
}

function isSteadyBlock(block: Block, around: StableNames): boolean {
  const steady = { names: around.names, steps: new Set(around.steps) };
  return block.steps.every((step) => {
    if (step.verb === 'set' && isSteady(step.values, steady) && isChosenSteadily(step, steady))
      steady.steps.add(step.key);
    return isSteadyStep(step, steady);
  });
}

/** True if no idempotent call, nor the condition around it, depends on the result of another call. */
function isSteadyStep(step: Step, steady: StableNames): boolean {
  if (!holdsIdempotent(step)) return true;
  if (!isChosenSteadily(step, steady)) return false;
  return answeringBlocks(step).every((block) => isSteadyBlock(block, steady)) && isSteadyInside(step, steady);
}

const isChosenSteadily = (step: Step, steady: StableNames): boolean =>
  step.if === undefined || isSteady(step.if, steady);

function isSteadyInside(step: Step, steady: StableNames): boolean {
  switch (step.verb) {
    case 'tool':
      return (
        (toolEffectOf(step) !== 'idempotent' || isSteady(step.with, steady)) &&
        (step.check === undefined || isSteadyBlock(step.check.block, steady))
      );
    case 'parallel':
      return step.steps.every((one) => isSteadyStep(one, steady));
    case 'steps':
      // `finally` runs after a failure too, so it depends on how calls went.
      return [step.body, step.finally].every((block) => block === undefined || isSteadyBlock(block, steady));
    case 'switch':
      return step.cases.every(
        ({ when, block }) => (when === undefined || isSteady(when, steady)) && isSteadyBlock(block, steady),
      );
    case 'forEach':
      return (
        isSteady(step.items, steady) &&
        isSteadyBlock(step.body, { ...steady, names: new Set([...steady.names, step.as]) })
      );
    case 'repeat':
      return (
        [step.until, step.while].every((one) => one === undefined || isSteady(one, steady)) &&
        isSteadyBlock(step.body, steady)
      );
    case 'ensure':
    case 'prompt':
    case 'resource':
    case 'sample':
    case 'ask':
    case 'wait':
    case 'set':
    case 'state':
    case 'workflow':
    case 'fail':
      return true;
  }
}

const isSteady = ({ names, steps }: References, steady: StableNames): boolean =>
  names.every((name) => steady.names.has(name)) && steps.every((id) => steady.steps.has(id));

/** Whether the step is, or holds, an idempotent call. */
const holdsIdempotent = (step: Step): boolean =>
  (step.verb === 'tool' && toolEffectOf(step) === 'idempotent') ||
  blocksOf(step).some((block) => block.steps.some(holdsIdempotent));

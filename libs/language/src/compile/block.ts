/** Lists of steps, and what every step carries. */
import type { PlacedStep } from '../document/inner.ts';
import { handlersOf, undoOf } from '../document/inner.ts';
import { verbOf } from '../document/step.ts';
import type { StepDocument } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Edition } from '../edition.ts';
import { compileCondition } from '../expression/condition.ts';
import type { Block, DecidedEffect, OnError, Step, StepCommon, ToolSchemas } from '../plan.ts';
import { noRetry } from './defaults.ts';
import { budgetOf, retryOf, timeoutOf } from './policies.ts';
import { compileVerb } from './verbs.ts';

/** What the whole compilation shares. */
export interface Compilation {
  readonly edition: Edition;
  readonly defaults: NonNullable<Workflow['defaults']>;
  readonly effectOf: (server: string, tool: string) => DecidedEffect;
  readonly schemasOf: (server: string, tool: string) => ToolSchemas | undefined;
}

/**
 * `prefix` tells steps apart that share a frame: the children of a `parallel`, the steps of a case. Keys of steps with
 * an id need none, since their ids are unique in the frame.
 */
export function compileBlock(
  compiling: Compilation,
  steps: readonly PlacedStep[],
  pointer: string,
  prefix = '',
): Block {
  return {
    pointer,
    steps: steps.map((one, i) => compileStep(compiling, one, `${prefix}${verbOf(one.step)}-${i + 1}`)),
  };
}

export function compileStep(compiling: Compilation, { step, pointer }: PlacedStep, key: string): Step {
  return compileVerb(compiling, step, commonOf(compiling, step, pointer, step.id ?? key));
}

const calls = new Set<string>(['tool', 'prompt', 'resource', 'sample']);

function commonOf(compiling: Compilation, step: StepDocument, pointer: string, key: string): StepCommon {
  const { id, title } = step;
  const isCall = calls.has(verbOf(step));
  const { defaults } = compiling;
  const written = 'timeout' in step ? step.timeout : undefined;
  const undo = undoOf(step, pointer);
  const budget = 'budget' in step ? step.budget : undefined;
  return {
    key,
    pointer,
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
    ...(step.if === undefined ? {} : { if: compileCondition(step.if, `${pointer}/if`, compiling.edition) }),
    timeout: timeoutOf(written ?? (isCall ? defaults.timeout : undefined)),
    retry: isCall ? retryOf('retry' in step ? step.retry : undefined, defaults.retry, compiling.edition) : noRetry,
    onError: onErrorOf(compiling, step, pointer),
    ...(undo === undefined ? {} : { undo: compileBlock(compiling, undo, `${pointer}/undo`) }),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    needs: step.needs ?? [],
  };
}

function onErrorOf(compiling: Compilation, step: StepDocument, pointer: string): OnError {
  const onError = 'onError' in step ? step.onError : undefined;
  if (onError === undefined || typeof onError === 'string') return onError ?? 'fail';
  return handlersOf(step, pointer).map(({ match, list, steps }) => ({
    ...(match === undefined ? {} : { match }),
    block: compileBlock(compiling, steps, list),
  }));
}

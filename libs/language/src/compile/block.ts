/** Compiles lists of steps, and the keys that every step may have. */
import { compileCondition } from '@baton/expressions';
import { defined } from '@baton/primitives';

import { type PlacedStep, handlersOf, undoOf } from '../document/inner.ts';
import { isGroup, verbOf, type StepDocument } from '../document/step.ts';
import type { Block, OnError, Step, StepCommon } from '../plan.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import type { Compilation, InnerSteps } from './compilation.ts';
import { declaredCall } from './declared.ts';
import { noRetry } from './defaults.ts';
import { ensureSteps } from './ensure.ts';
import { budgetOf, retryOf, timeoutOf } from './policies.ts';
import { compileVerb } from './verbs.ts';

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
  const inner: InnerSteps = {
    block: (steps, at, prefix) => compileBlock(compiling, steps, at, prefix),
    step: (one, innerKey) => compileStep(compiling, one, innerKey),
  };
  return compileVerb(compiling, step, commonOf(compiling, step, pointer, step.id ?? key), inner);
}

const calls = new Set<string>(['tool', 'prompt', 'resource', 'sample']);

function commonOf(compiling: Compilation, step: StepDocument, pointer: string, key: string): StepCommon {
  const { id, title } = step;
  const isCall = calls.has(verbOf(step));
  const { defaults } = compiling;
  const written = 'timeout' in step ? step.timeout : undefined;
  const budget = 'budget' in step ? step.budget : undefined;
  return {
    key,
    pointer,
    ...defined({ id, title }),
    ...(step.if === undefined ? {} : { if: compileCondition(step.if, `${pointer}/if`, compiling.edition) }),
    timeout: timeoutOf(written ?? (isCall ? defaults.timeout : undefined)),
    retry: isCall ? retryOf('retry' in step ? step.retry : undefined, defaults.retry, compiling.edition) : noRetry,
    onError: onErrorOf(compiling, step, pointer),
    ...undoIn(compiling, step, pointer),
    ...ensureOf(compiling, step, pointer),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    needs: step.needs ?? [],
  };
}

function undoIn(compiling: Compilation, step: StepDocument, pointer: string): Pick<StepCommon, 'undo'> {
  const written = undoOf(step, pointer);
  const at = `${pointer}/undo`;
  if (written !== undefined) return { undo: compileBlock(compiling, written, at) };
  if (!('tool' in step) || step.undo !== 'declared') return {};
  const [server, name] = splitTarget(step.tool);
  const declared = compiling.declarationOf(server, name)?.undo;
  const inner: Pick<InnerSteps, 'step'> = { step: (one, key) => compileStep(compiling, one, key) };
  return declared === undefined ? {} : { undo: declaredCall(server, declared, at, inner) };
}

/** A group has its `ensure` at the end of its own steps. */
function ensureOf(compiling: Compilation, step: StepDocument, pointer: string): Pick<StepCommon, 'ensure'> {
  if (!('ensure' in step) || step.ensure === undefined || isGroup(step)) return {};
  const at = `${pointer}/ensure`;
  const steps = ensureSteps(compiling, step.ensure, at, (one, key) => compileStep(compiling, one, key));
  return { ensure: { pointer: at, steps } };
}

function onErrorOf(compiling: Compilation, step: StepDocument, pointer: string): OnError {
  const onError = 'onError' in step ? step.onError : undefined;
  if (onError === undefined || typeof onError === 'string') return onError ?? 'fail';
  return handlersOf(step, pointer).map(({ match, list, steps }) => ({
    ...defined({ match }),
    block: compileBlock(compiling, steps, list),
  }));
}

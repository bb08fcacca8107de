/** Finds all mistakes of a workflow that can be found before it runs and without asking a server. */
import { type Type, types, limits, typeOfSchema, schemaOf, quoted } from '@baton/expressions';

import { placed } from '../document/inner.ts';
import type { Workflow } from '../document/workflow.ts';
import { sessionWorkflow } from '../document/workflowNames.ts';
import type { Problem } from '../problem.ts';
import { type CheckSubject, checkRunOf } from './beginCheck.ts';
import type { CheckRun } from './checkRun.ts';
import { checkEnsure } from './ensure.ts';
import { checkTemplate } from './expressions.ts';
import { checkBudget, checkRetry, checkTimeout } from './keys.ts';
import type { CheckOptions } from './options.ts';
import { checkSchema } from './schema.ts';
import { type CheckScope, atMost, errorType, runType, stepRef, withNames } from './scope.ts';
import { checkStateDeclaration, stateNames } from './state.ts';
import { areAlternatives, frameOf, replacesFailedStep } from './stepIndex.ts';
import { checkBlock } from './steps.ts';
import { checkTextFlow } from './textFlow.ts';
import { checkTriggers } from './triggers.ts';

export interface CheckedWorkflow extends Pick<CheckRun, 'calls' | 'references'> {
  readonly problems: readonly Problem[];
  /** The type of the workflow's outputs. */
  readonly outputs: Type;
}

export function checkDocument(subject: CheckSubject, options: CheckOptions = {}): CheckedWorkflow {
  const { workflow } = subject;
  const problems: Problem[] = [];
  const checking = checkRunOf(subject, options, (problem) => problems.push(problem));
  const { calls, references } = checking;
  checkIds(checking);
  checkSizes(checking);
  checkTop(checking, workflow);
  checkTriggers(checking, workflow);
  const outputs = checkBlocks(checking, workflow);
  checkTextFlow(checking, workflow);
  return { problems, calls, references, outputs };
}

function inputsType({ opaque }: CheckRun, { inputs }: Workflow): Type {
  return opaque.has('/inputs') ? types.any : typeOfSchema(schemaOf(inputs ?? {}));
}

function checkTop(checking: CheckRun, workflow: Workflow): void {
  const { report } = checking;
  const { inputs, concurrency, budget, defaults } = workflow;
  if (workflow.workflow === sessionWorkflow) {
    const message = `A workflow cannot be called ${quoted(sessionWorkflow)}: the sessions at the gateway are runs of that name.`;
    report({ code: 'reserved-name', pointer: '/workflow', message });
  }
  if (inputs !== undefined) {
    checkSchema(checking, inputs, '/inputs');
    const schema = schemaOf(inputs);
    const type = typeof schema === 'boolean' ? undefined : schema['type'];
    if (type !== 'object')
      report({
        code: 'schema-invalid',
        pointer: '/inputs',
        at: 'key',
        message: 'The inputs are a map.',
        expected: 'type: object',
      });
  }
  checkStateDeclaration(checking, workflow);
  if (budget !== undefined) checkBudget(report, budget, '/budget');
  if (defaults?.retry !== undefined) checkRetry(checking, defaults.retry, '/defaults/retry');
  if (defaults?.timeout !== undefined) checkTimeout(report, defaults.timeout, '/defaults/timeout');
  if (concurrency?.key !== undefined) {
    const names = new Map([['inputs', inputsType(checking, workflow)]]);
    checkTemplate({ checking, scope: { names, steps: undefined } }, concurrency.key, '/concurrency/key');
  }
}

/** The type of the outputs. */
function checkBlocks(checking: CheckRun, workflow: Workflow): Type {
  const names = new Map<string, Type>([
    ['inputs', inputsType(checking, workflow)],
    ['run', runType],
    ...stateNames(checking),
  ]);
  const scope: CheckScope = { names, steps: new Map() };
  const main = checkBlock(checking, placed(workflow.steps, '/steps'), scope);
  checkEnsure(checking, workflow.ensure ?? [], '/ensure', { names, steps: main });
  const outputs = checkTemplate({ checking, scope: { names, steps: main } }, workflow.outputs ?? {}, '/outputs');
  // These run in every case: any step may be missing.
  const after: CheckScope = { names, steps: atMost('maybe', main) };
  if (workflow.onFailure !== undefined) {
    checkBlock(checking, placed(workflow.onFailure, '/onFailure'), withNames(after, { error: errorType }));
  }
  if (workflow.finally !== undefined) {
    checkBlock(checking, placed(workflow.finally, '/finally'), withNames(after, { error: types.orNull(errorType) }));
  }
  return outputs;
}

/** An id is unique in its frame, except for steps of which only one runs. The same id further inside would hide it. */
function checkIds({ report, index }: CheckRun): void {
  for (const [id, locations] of index.byId) {
    locations.forEach((one, i) => {
      const others = locations.slice(0, i).filter((other) => !areAlternatives(other, one));
      const pointer = `${one.pointer}/id`;
      const twin = others.find((other) => frameOf(other) === frameOf(one));
      if (twin !== undefined) {
        const message = `There is another step ${quoted(id)}, and both can be meant by \`${stepRef(id)}\`.`;
        report({ code: 'duplicate-id', pointer, message, found: id, other: `${twin.pointer}/id` });
      } else if (!replacesFailedStep(one) && others.some((other) => isAround(frameOf(other), one.pointer))) {
        const message = `In here, ${quoted(id)} hides the step of that name further out.`;
        report({ code: 'shadowed-id', pointer, message, found: id });
      }
    });
  }
}

const isAround = (frame: string, pointer: string): boolean => pointer.startsWith(`${frame}/`) || frame === '/steps';

function checkSizes({ report, index }: CheckRun): void {
  const { steps, stepDepth } = limits.document;
  const tooMany = index.all[steps];
  if (tooMany !== undefined) {
    report({
      code: 'too-large',
      pointer: tooMany.pointer,
      message: `There are ${index.all.length} steps; ${steps} is the most.`,
    });
  }
  const tooDeep = index.all.find(({ containers }) => containers.length > stepDepth);
  if (tooDeep !== undefined) {
    report({
      code: 'too-deep',
      pointer: tooDeep.pointer,
      message: `Steps are nested more than ${stepDepth} deep here.`,
    });
  }
}

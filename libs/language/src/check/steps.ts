/** Checks steps in the order in which they run, each with what it can read. */
import { type Type, types } from '@baton/expressions';

import { type PlacedStep, casesOf, handlersOf, placed, undoOf } from '../document/inner.ts';
import { type GroupDocument, type StepDocument, isGroup } from '../document/step.ts';
import { checkAction } from './actions.ts';
import { checkCases } from './cases.ts';
import type { ExpressionSite, CheckRun } from './checkRun.ts';
import { withCall } from './declaration.ts';
import { checkEnsure } from './ensure.ts';
import { checkCondition, checkTemplate } from './expressions.ts';
import { checkForEach } from './forEach.ts';
import { conjunctsOf, guardsOf, provenBy, withRanSteps } from './guards.ts';
import { checkKeys } from './keys.ts';
import { checkParallel } from './parallel.ts';
import {
  type KnownName,
  type CheckScope,
  type StepsInScope,
  atMost,
  errorType,
  withNames,
  withSteps,
} from './scope.ts';
import { checkStateStep } from './state.ts';
import { type InnerResult, type ResultTypes, failedStep, stepType } from './stepType.ts';

/** Checks a list top to bottom: each step sees those before it. Returns what can be read after the block. */
export function checkBlock(checking: CheckRun, steps: readonly PlacedStep[], scope: CheckScope): StepsInScope {
  const seen = new Map<string, KnownName>();
  let now = scope;
  for (const one of steps) {
    const left = checkStep(checking, one, now);
    for (const [id, known] of left) seen.set(id, known);
    now = withSteps(now, left);
  }
  reportUnreachable(checking, steps);
  return seen;
}

/** Checks a step with its handlers and `undo`. Returns what can be read after it. */
function checkStep(checking: CheckRun, one: PlacedStep, around: CheckScope): StepsInScope {
  const { step, pointer } = one;
  checking.observe?.onStep?.(pointer, around);
  if (checking.opaque.has(pointer)) return ownName(step, types.any);
  if (step.if !== undefined) {
    checkCondition({ checking, scope: around, guarded: guardsOf(step.if) }, step.if, `${pointer}/if`);
  }
  const scope = withRanSteps(withProvenSteps(around, provenBy(step.if)), step.if);
  const site: ExpressionSite = { checking, scope, guarded: guardsOf(step.if) };
  checkKeys(checking, one);
  const inside = checkVerb(site, one);
  const type = checking.untyped.has(pointer) ? types.any : stepType(step, inside.shown);
  const handled = checkHandlersAndUndo(checking, one, scope, type, inside.steps);
  const isSure =
    step.if === undefined && (!('onError' in step) || step.onError === undefined || step.onError === 'fail');
  const seen = isSure ? inside.steps : atMost('branch', inside.steps);
  return new Map([...seen, ...ownName(step, joinedType(one, type, inside.shown, handled))]);
}

/** The type that the handlers of a step put under its own id; `never`: the run does not continue after any of them. */
type HandledType = Type | 'never' | undefined;

/** The type of a step, or of the handler's step that replaces it. */
function joinedType({ step }: PlacedStep, type: Type, shown: ResultTypes, handled: HandledType): Type {
  if (handled === undefined) return type;
  const succeeded = stepType(withoutHandlers(step), shown);
  return handled === 'never' ? succeeded : types.union([succeeded, handled]);
}

const withoutHandlers = <Step extends StepDocument>(step: Step): Step => ({ ...step, onError: undefined });

/** Marks the steps that a condition proves to have run as certain. */
function withProvenSteps(scope: CheckScope, proven: ReturnType<typeof provenBy>): CheckScope {
  if (scope.steps === undefined || (proven !== 'all' && proven.size === 0)) return scope;
  const raised = [...scope.steps].map(([id, known]): [string, KnownName] => {
    const isProven = proven === 'all' ? known.certainty === 'maybe' : proven.has(id);
    return [id, isProven ? { ...known, certainty: 'ran' } : known];
  });
  return { ...scope, steps: new Map(raised) };
}

function ownName(step: StepDocument, type: Type): Map<string, KnownName> {
  if (step.id === undefined) return new Map();
  const isCall = calls.some((verb) => verb in step);
  const mayFail = 'onError' in step && step.onError !== undefined && step.onError !== 'fail';
  const onlyIf = mayFail || step.if === undefined ? {} : { onlyIf: conjunctsOf(step.if) };
  return new Map([[step.id, { type, certainty: 'ran', isCall, ...onlyIf }]]);
}

/** Verbs whose results come from outside. */
const calls = ['tool', 'resource', 'workflow'];

const nothingInside: InnerResult = { shown: {}, steps: new Map() };

function checkVerb(site: ExpressionSite, { step, pointer }: PlacedStep): InnerResult {
  const { checking, scope } = site;
  if ('parallel' in step) return checkParallel(checking, step, pointer, scope, checkStep);
  if ('switch' in step) return { shown: {}, steps: checkCases(site, casesOf(step, pointer), checkBlock) };
  if (isGroup(step)) return checkGroup(site, step, pointer);
  if ('forEach' in step) return checkForEach(site, step, pointer, checkBlock);
  if ('repeat' in step) return checkRepeat(site, step, pointer);
  if ('set' in step) return { ...nothingInside, shown: { values: checkTemplate(site, step.set, `${pointer}/set`) } };
  if ('state' in step) return { ...nothingInside, shown: { values: checkStateStep(site, step, pointer) } };
  const result = checkAction(site, step, pointer);
  return result === undefined ? nothingInside : { ...nothingInside, shown: { result } };
}

/** The steps of a group are read as if they were in its place; its `finally` runs in every case. */
function checkGroup({ checking, scope }: ExpressionSite, step: GroupDocument, pointer: string): InnerResult {
  const steps = checkBlock(checking, placed(step.steps, `${pointer}/steps`), scope);
  if (step.finally !== undefined) {
    const after = withNames(withSteps(scope, atMost('maybe', steps)), { error: types.orNull(errorType) });
    checkBlock(checking, placed(step.finally, `${pointer}/finally`), after);
  }
  return { shown: {}, steps };
}

type RepeatDocument = Extract<StepDocument, { repeat: unknown }>;

function checkRepeat(site: ExpressionSite, step: RepeatDocument, pointer: string): InnerResult {
  const { checking, scope } = site;
  const { repeat } = step;
  const named = withNames(scope, { index: types.integer });
  const steps = placed(repeat.steps, `${pointer}/repeat/steps`);
  const inner = withSteps(named, ownRounds(step, roundBefore(checking, step, steps, named)));
  const round = checkBlock(checking, steps, inner);
  const at = `${pointer}/repeat`;
  if (repeat.until !== undefined)
    checkCondition({ checking, scope: withSteps(inner, round) }, repeat.until, `${at}/until`);
  // Before the first round there is no previous round.
  const before = withSteps(inner, atMost('maybe', round));
  if (repeat.while !== undefined) checkCondition({ checking, scope: before }, repeat.while, `${at}/while`);
  if (repeat.until !== undefined && repeat.while !== undefined) {
    const message = 'A repeat ends by `until` or by `while`, not by both.';
    checking.report({ code: 'conflicting-keys', pointer: `${at}/while`, at: 'key', message });
  }
  return { shown: { round: roundType(round) }, steps: new Map() };
}

const roundType = (round: StepsInScope): Type =>
  types.map(Object.fromEntries([...round].map(([id, { type }]) => [id, type])), types.any);

/** Inside more nested `repeat` steps than this, the type of the previous round is unknown. */
const lookedThroughTwice = 2;

/** The type of the previous round, as the steps of a round see it: the body is checked once in advance. */
function roundBefore(
  checking: CheckRun,
  { id }: RepeatDocument,
  steps: readonly PlacedStep[],
  scope: CheckScope,
): Type {
  const [first] = steps;
  if (id === undefined || first === undefined) return types.anyMap;
  const isRead = JSON.stringify(steps.map(({ step }) => step)).includes(id);
  const depth = first.pointer.split('/repeat/').length - 1;
  if (!isRead || depth > lookedThroughTwice) return types.anyMap;
  const silent: CheckRun = {
    ...checking,
    report: () => undefined,
    assumed: new Set(checking.assumed),
    totals: { ...checking.totals },
    freeTexts: [],
    destructive: new Set(),
    calls: [],
    references: [],
  };
  return roundType(checkBlock(silent, steps, withSteps(scope, [[id, { type: types.any, certainty: 'ran' }]])));
}

/** The `repeat` as its own steps see it: before the second round, no round has ended. */
function ownRounds({ id }: RepeatDocument, round: Type): readonly (readonly [string, KnownName])[] {
  if (id === undefined) return [];
  const fields = { status: types.text, output: types.nothing, iterations: types.integer };
  const maybe =
    round.kind === 'map'
      ? types.map(
          Object.fromEntries([...round.fields].map(([key, { type }]) => [key, { type, isOptional: true }])),
          round.fields.size === 0 ? types.any : undefined,
        )
      : round;
  return [[id, { type: types.map({ ...fields, steps: { type: maybe, isOptional: true } }), certainty: 'ran' }]];
}

/**
 * Handlers, `ensure` and `undo`: all see the step itself, as it is then, and what ran inside it. Returns the type that handlers
 * put in the step's place.
 */
function checkHandlersAndUndo(
  checking: CheckRun,
  { step, pointer }: PlacedStep,
  scope: CheckScope,
  type: Type,
  inside: StepsInScope,
): HandledType {
  const after = (known: Type, certainty: 'maybe' | 'ran'): CheckScope =>
    withSteps(scope, [...(certainty === 'ran' ? inside : atMost(certainty, inside)), ...ownName(step, known)]);
  const failed = withNames(after(failedStep(type), 'maybe'), { error: errorType });
  const handlers = handlersOf(step, pointer);
  const ends = handlers.map(({ steps }): HandledType => {
    const { id } = step;
    const known = checkBlock(checking, steps, failed).get(id ?? '');
    if (steps.some((one) => 'fail' in one.step && one.step.if === undefined)) return 'never';
    return known?.certainty === 'ran' ? known.type : undefined;
  });
  if ('ensure' in step && step.ensure !== undefined)
    checkEnsure(checking, step.ensure, `${pointer}/ensure`, after(type, 'ran'));
  const undo = undoOf(step, pointer);
  if (undo !== undefined) {
    const scope = after(type, 'ran');
    checkBlock(checking, undo, 'tool' in step ? withCall(checking, step.tool, scope, 'undo') : scope);
  }
  if (step.id === undefined || ends.length === 0 || ends.includes(undefined)) return undefined;
  const given = ends.filter((one) => one !== undefined && one !== 'never');
  return given.length === 0 ? 'never' : types.union(given);
}

function reportUnreachable({ report }: CheckRun, steps: readonly PlacedStep[]): void {
  const end = steps.findIndex(({ step }) => 'fail' in step && step.if === undefined);
  const next = end < 0 ? undefined : steps[end + 1];
  if (next === undefined) return;
  const message = 'No run gets here: the step before ends it.';
  report({ code: 'unreachable-step', pointer: next.pointer, message, hint: 'give the `fail` an `if`' });
}

/** Compiles each verb. */
import { compileCondition, compileMapTemplate, compileTemplate, type Template, schemaOf } from '@baton/expressions';
import { defined, type Json, type JsonObject } from '@baton/primitives';

import { casesOf, placed } from '../document/inner.ts';
import { type GroupDocument, type StepDocument, type StepList, isGroup } from '../document/step.ts';
import type { Block, CheckPlan, Effect, Step, StepCommon, ToolStep, WaitStep } from '../plan.ts';
import { defaultsOf } from '../servers/argumentDefaults.ts';
import { effectStated } from '../servers/effectStated.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { whenUnknown } from '../servers/whenUnknown.ts';
import type { Compilation, InnerSteps } from './compilation.ts';
import { declaredCheck } from './declared.ts';
import { defaults } from './defaults.ts';
import { ensureSteps } from './ensure.ts';
import { ms } from './policies.ts';

type StepOfVerb<Verb extends string> = Extract<StepDocument, { [verb in Verb]: unknown }>;

export function compileVerb(compiling: Compilation, step: StepDocument, common: StepCommon, inner: InnerSteps): Step {
  const { pointer } = common;
  if ('tool' in step) return toolStep(compiling, step, common, inner);
  if ('prompt' in step) {
    const [server, prompt] = splitTarget(step.prompt);
    return { ...common, verb: 'prompt', server, prompt, with: argumentsOf(compiling, step.with, pointer) };
  }
  if ('resource' in step) {
    const uri = compileTemplate(step.uri, `${pointer}/uri`, compiling.edition);
    return {
      ...common,
      verb: 'resource',
      server: step.resource,
      uri,
      with: argumentsOf(compiling, step.with, pointer),
    };
  }
  if ('sample' in step) return sampleStep(compiling, step, common);
  if ('ask' in step) return askStep(compiling, step, common);
  if ('wait' in step) return { ...common, verb: 'wait', for: waitFor(compiling, step, pointer) };
  if ('set' in step)
    return { ...common, verb: 'set', values: compileMapTemplate(step.set, `${pointer}/set`, compiling.edition) };
  if ('state' in step) {
    const values = compileMapTemplate(step.state, `${pointer}/state`, compiling.edition);
    return { ...common, verb: 'state', values, ...(step.ifUnchanged === true && { ifUnchanged: true as const }) };
  }
  if ('workflow' in step) {
    const [workflow = '', version] = step.workflow.split('@');
    const pinned = version === undefined ? {} : { version: Number(version) };
    const detached = step.await === false ? { isDetached: true as const } : {};
    const given = argumentsOf(compiling, step.with, pointer);
    return { ...common, verb: 'workflow', workflow, ...pinned, with: given, ...detached };
  }
  if ('fail' in step) {
    const message = compileTemplate(step.fail, `${pointer}/fail`, compiling.edition);
    return { ...common, verb: 'fail', message, code: step.code ?? defaults.failureCode };
  }
  return controlStep(compiling, step, common, inner);
}

type ControlStepDocument =
  | StepOfVerb<'parallel'>
  | GroupDocument
  | StepOfVerb<'forEach'>
  | StepOfVerb<'switch'>
  | StepOfVerb<'repeat'>;

function controlStep(compiling: Compilation, step: ControlStepDocument, common: StepCommon, inner: InnerSteps): Step {
  const { pointer, key } = common;
  if ('parallel' in step) {
    const children = placed(step.parallel, `${pointer}/parallel`);
    const { steps } = inner.block(children, `${pointer}/parallel`, `${key}.`);
    const maxParallel = step.maxParallel ?? defaults.parallel.maxParallel;
    return { ...common, verb: 'parallel', steps, maxParallel, ...(step.until && { until: step.until }) };
  }
  if (isGroup(step)) {
    const block = (list: 'steps' | 'finally', steps: StepList, prefix = ''): Block =>
      inner.block(placed(steps, `${pointer}/${list}`), `${pointer}/${list}`, prefix);
    const body = block('steps', step.steps, `${key}.`);
    const ensured = ensureSteps(
      compiling,
      step.ensure ?? [],
      `${pointer}/ensure`,
      (one, at) => inner.step(one, at),
      `${key}.`,
    );
    return {
      ...common,
      verb: 'steps',
      body: { ...body, steps: [...body.steps, ...ensured] },
      ...(step.finally && { finally: block('finally', step.finally) }),
    };
  }
  if ('switch' in step) {
    const cases = casesOf(step, pointer).map(({ when, whenPointer, pointer: list, steps }, i) => ({
      ...(when === undefined ? {} : { when: compileCondition(when, whenPointer, compiling.edition) }),
      block: inner.block(placed(steps, list), list, `${key}.${i + 1}.`),
    }));
    return { ...common, verb: 'switch', cases };
  }
  if ('repeat' in step) {
    const { max, until, while: condition, every, steps } = step.repeat;
    const at = `${pointer}/repeat`;
    return {
      ...common,
      verb: 'repeat',
      max,
      ...(until === undefined ? {} : { until: compileCondition(until, `${at}/until`, compiling.edition) }),
      ...(condition === undefined ? {} : { while: compileCondition(condition, `${at}/while`, compiling.edition) }),
      ...(every === undefined ? {} : { everyMs: ms(every) }),
      body: inner.block(placed(steps, `${at}/steps`), `${at}/steps`),
    };
  }
  const { collect } = step;
  return {
    ...common,
    verb: 'forEach',
    items: compileTemplate(step.forEach, `${pointer}/forEach`, compiling.edition),
    as: step.as ?? defaults.forEach.as,
    body: inner.block(placed(step.steps, `${pointer}/steps`), `${pointer}/steps`),
    maxParallel: step.maxParallel ?? defaults.forEach.maxParallel,
    onItemError: step.onItemError ?? 'fail',
    ...(collect === undefined ? {} : { collect: compileTemplate(collect, `${pointer}/collect`, compiling.edition) }),
    distribute: step.distribute ?? false,
  };
}

const argumentsOf = (compiling: Compilation, written: Json | undefined, pointer: string): Template<JsonObject> =>
  compileMapTemplate(written ?? {}, `${pointer}/with`, compiling.edition);

function toolStep(compiling: Compilation, step: StepOfVerb<'tool'>, common: StepCommon, inner: InnerSteps): ToolStep {
  const { pointer } = common;
  const { key, failIf } = step;
  const [server, tool] = splitTarget(step.tool);
  const own = compiling.effectOf(server, tool);
  const effect = effectStated(step.effect, own);
  const definition = compiling.schemasOf(server, tool);
  const defaulted = defaultsOf(definition?.inputSchema);
  return {
    ...common,
    verb: 'tool',
    server,
    tool,
    with: argumentsOf(compiling, step.with, pointer),
    effect,
    toolEffect: own.effect,
    ...defined({ definition, pin: compiling.pinOf(server, tool) }),
    ...defined({ defaults: defaulted }),
    ...(key === undefined ? {} : { idempotencyKey: compileTemplate(key, `${pointer}/key`, compiling.edition) }),
    ...(failIf === undefined ? {} : { failIf: compileCondition(failIf, `${pointer}/failIf`, compiling.edition) }),
    ...unknownPlan(compiling, step, { effect: effect.effect, pointer }, inner),
    ...(step.undo === 'declared' ? { isUndoDeclared: true as const } : {}),
  };
}

/** The step's own `ifUnknown` and `check`, else what the server configuration declares for the tool. */
function unknownPlan(
  compiling: Compilation,
  step: StepOfVerb<'tool'>,
  { effect, pointer }: { readonly effect: Effect; readonly pointer: string },
  inner: InnerSteps,
): Pick<ToolStep, 'ifUnknown' | 'check'> {
  const [server, tool] = splitTarget(step.tool);
  const { ifUnknown, declared } = whenUnknown(step, effect, compiling.declarationOf(server, tool));
  if (step.check !== undefined) return { ifUnknown, check: checkOf(compiling, step.check, `${pointer}/check`, inner) };
  if (declared === undefined) return { ifUnknown };
  return { ifUnknown, check: declaredCheck(compiling, server, declared, `${pointer}/tool`, inner) };
}

function checkOf(
  compiling: Compilation,
  { happened, ...call }: NonNullable<StepOfVerb<'tool'>['check']>,
  pointer: string,
  inner: InnerSteps,
): CheckPlan {
  const key = `${'tool' in call ? 'tool' : 'resource'}-1`;
  return {
    block: { pointer, steps: [inner.step({ step: call, pointer }, key)] },
    happened: compileCondition(happened, `${pointer}/happened`, compiling.edition),
  };
}

function sampleStep(compiling: Compilation, { sample }: StepOfVerb<'sample'>, common: StepCommon): Step {
  const at = `${common.pointer}/sample`;
  const { append, output, via, ...fields } = sample;
  const request = { ...defaults.sample, messages: [], ...fields } as unknown as JsonObject;
  return {
    ...common,
    verb: 'sample',
    request: compileMapTemplate(request, at, compiling.edition),
    ...(append === undefined ? {} : { append: compileTemplate(append, `${at}/append`, compiling.edition) }),
    ...(output === undefined ? {} : { output: schemaOf(output) }),
    via: via ?? 'provider',
  };
}

function askStep(compiling: Compilation, step: StepOfVerb<'ask'>, common: StepCommon): Step {
  const { pointer } = common;
  const { form, expires, onExpire } = step;
  return {
    ...common,
    verb: 'ask',
    message: compileTemplate(step.ask, `${pointer}/ask`, compiling.edition),
    form: form === undefined ? defaults.form : schemaOf(form),
    ...(expires === undefined ? {} : { expiresMs: ms(expires) }),
    ...(onExpire === undefined
      ? {}
      : { onExpire: compileTemplate(onExpire, `${pointer}/onExpire`, compiling.edition) }),
  };
}

function waitFor(compiling: Compilation, { wait }: StepOfVerb<'wait'>, pointer: string): WaitStep['for'] {
  if (typeof wait === 'string') return { kind: 'duration', ms: ms(wait) };
  const at = `${pointer}/wait`;
  if ('until' in wait) return { kind: 'until', at: compileTemplate(wait.until, `${at}/until`, compiling.edition) };
  const { signal: name, match, timeout } = wait;
  return {
    kind: 'signal',
    name,
    ...(match === undefined ? {} : { match: compileCondition(match, `${at}/match`, compiling.edition) }),
    ...(timeout === undefined ? {} : { timeoutMs: ms(timeout) }),
  };
}

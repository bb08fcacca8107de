/** Checks of keys that only one verb has. */
import { type Type, types, quoted, didYouMean, childOf, instantFault, limits } from '@baton/expressions';
import { type Json, parseInstant } from '@baton/primitives';

import type { CheckDocument, StepDocument } from '../document/step.ts';
import type { DecidedEffect } from '../plan.ts';
import type { ResolvedDeclaration } from '../servers/declaration.ts';
import { shownEffect } from '../servers/shownEffect.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { variablesOf } from '../servers/uriForm.ts';
import { leavesToDeclared, whenUnknown } from '../servers/whenUnknown.ts';
import { checkAsk } from './ask.ts';
import { type CallArguments, checkArguments } from './callArguments.ts';
import { checkChildRun, checkPromptCall, checkResourceUse, checkToolCall } from './calls.ts';
import type { ExpressionSite, CheckRun } from './checkRun.ts';
import { declaredOutput, emptyMap, withCall } from './declaration.ts';
import { checkPromise, checkReads, effectOf, effectWithoutStep, knownWrite } from './effects.ts';
import { checkCondition, checkTemplate } from './expressions.ts';
import { checkSchema } from './schema.ts';
import { type CheckScope, withNames } from './scope.ts';
import { answerType, outputOf, stepType } from './stepType.ts';

const instantForm = 'RFC 3339, as in 2026-11-30T06:00:00Z';
const dayMs = 86_400_000;

/** The text of `wait: { until }`. */
function checkInstant({ report, nowMs }: CheckRun, written: string, pointer: string): void {
  const until = parseInstant(written);
  if (until === undefined) {
    report({ code: 'bad-instant', pointer, message: `${instantFault(written)}.`, expected: instantForm });
  } else if (nowMs !== undefined && until > nowMs + limits.step.waitMs) {
    const most = limits.step.waitMs / dayMs;
    const message = `${quoted(written)} lies more than ${most} days ahead, and a step waits at most ${most} days.`;
    report({ code: 'out-of-range', pointer, message, expected: 'an earlier time' });
  }
}

/** The type of the step's result, where something is known about it. */
export function checkAction(site: ExpressionSite, step: StepDocument, pointer: string): Type | undefined {
  if ('tool' in step) return checkTool(site, step, pointer);
  if ('workflow' in step) return checkChild(site, step, pointer);
  if ('prompt' in step)
    checkPromptCall(site.checking, step.prompt, `${pointer}/prompt`, checkArguments(site, step.with, pointer));
  if ('resource' in step) checkResource(site, step, pointer);
  if ('sample' in step) checkSample(site, step, pointer);
  if ('ask' in step) checkAsk(site, step, pointer);
  if ('wait' in step) checkWait(site, step, pointer);
  if ('fail' in step) checkTemplate(site, step.fail, `${pointer}/fail`);
  return undefined;
}

function checkTool(site: ExpressionSite, step: Extract<StepDocument, { tool: unknown }>, pointer: string): Type {
  const { checking } = site;
  const asked = checkArguments({ ...site, secretsFor: serverOf(step.tool) }, step.with, pointer);
  const decided = effectOf(checking, step);
  checkPromise(checking, step, `${pointer}/effect`);
  const write = knownWrite(checking, step.tool, decided);
  if (write !== undefined) checking.writes.add(pointer);
  if (write?.mayDestroy === true) checking.destructive.add(pointer);
  const result = checkToolCall(checking, step.tool, `${pointer}/tool`, asked, {
    effect: shownEffect(decided, effectWithoutStep(checking, step.tool)),
  });
  if (step.key !== undefined) checkTemplate(site, step.key, `${pointer}/key`);
  if (step.failIf !== undefined) {
    const scope: CheckScope = { names: new Map([['result', answerType(result)]]), steps: undefined };
    checkCondition({ checking, scope }, step.failIf, `${pointer}/failIf`);
  }
  const found = checkUnknown(site, step, pointer, decided);
  return found === undefined ? result : types.union([result, found]);
}

/**
 * Checks what the step says about a `write` whose outcome is unknown. Returns the type of the output that a `check`
 * gives the step, its own or a declared one; undefined if there is none.
 */
function checkUnknown(
  { checking, scope }: ExpressionSite,
  step: Extract<StepDocument, { tool: unknown }>,
  pointer: string,
  decided: DecidedEffect,
): Type | undefined {
  const { report } = checking;
  const { check, ifUnknown, effect } = step;
  const declaration = declarationOf(checking, step.tool);
  const rule = whenUnknown(step, decided.effect, declaration);
  if (leavesToDeclared(step, decided.effect)) reportUnusable(checking, step.tool, declaration, pointer);
  reportNoUndo(checking, step, pointer);
  if (ifUnknown !== undefined && effect !== undefined && effect !== 'write') {
    const message = `A call that is ${effect === 'read' ? 'a `read`' : '`idempotent`'} is simply made again; \`ifUnknown\` is for a \`write\`.`;
    report({ code: 'unused-key', pointer: `${pointer}/ifUnknown`, at: 'key', message });
  }
  if (ifUnknown === 'check' && check === undefined && rule.declared === undefined) {
    const message = '`ifUnknown: check` needs a `check` that finds out.';
    report({
      code: 'missing-key',
      pointer: `${pointer}/ifUnknown`,
      message,
      expected: 'check: { tool, with, happened }',
    });
  }
  // A person who is asked may say that it happened, and not what it answered.
  if (check === undefined && rule.ifUnknown === 'ask') return emptyMap;
  if (check === undefined) return rule.declared && declaredOutput(checking, step.tool, rule.declared);
  const isChecked = rule.ifUnknown === 'check';
  if (!isChecked) {
    const message = 'Nothing calls for this check.';
    report({ code: 'unused-key', pointer: `${pointer}/check`, at: 'key', message, expected: 'ifUnknown: check' });
  }
  const at = `${pointer}/check`;
  const seen = withCall(checking, step.tool, scope, 'check');
  const found = checkCheck({ checking, scope: seen }, check, at);
  checkCondition({ checking, scope: withNames(seen, { result: found }) }, check.happened, `${at}/happened`);
  return isChecked ? outputOf(found) : undefined;
}

function declarationOf({ declarations }: CheckRun, target: string): ResolvedDeclaration | undefined {
  return declarations?.(...splitTarget(target));
}

/** What the server configuration declares for the tool, and the step would use, and cannot be used. */
function reportUnusable(
  { report }: CheckRun,
  tool: string,
  declaration: ResolvedDeclaration | undefined,
  pointer: string,
): void {
  const unusable = declaration?.unusable?.check;
  if (unusable === undefined) return;
  const message = `The \`check\` that the server configuration declares for ${quoted(tool)} cannot be used, so it does not find out whether a call happened. ${unusable}`;
  report({ code: 'declared-check-unusable', pointer: `${pointer}/tool`, message });
}

function reportNoUndo(checking: CheckRun, step: Extract<StepDocument, { tool: unknown }>, pointer: string): void {
  if (step.undo !== 'declared' || checking.declarations === undefined) return;
  const declared = declarationOf(checking, step.tool);
  if (declared?.undo !== undefined) return;
  const why = declared?.unusable?.undo ?? `The server configuration declares none for ${quoted(step.tool)}.`;
  const message = `\`undo: declared\` needs an \`undo\` of the tool that can be used. ${why}`;
  checking.report({
    code: 'no-declared-undo',
    pointer: `${pointer}/undo`,
    message,
    expected: 'an undo in mcp.json, or a step',
  });
}

const serverOf = (target: string): string => splitTarget(target)[0];

/** The type of `result`. */
function checkCheck(site: ExpressionSite, check: CheckDocument, pointer: string): Type {
  if ('resource' in check) {
    checkResource(site, check, pointer);
    return stepType(check);
  }
  const asked = checkArguments({ ...site, secretsFor: serverOf(check.tool) }, check.with, pointer);
  checkReads(site.checking, 'check-writes', { tool: check.tool }, `${pointer}/tool`);
  const effect = shownEffect(effectOf(site.checking, check), effectWithoutStep(site.checking, check.tool));
  return stepType(check, { result: checkToolCall(site.checking, check.tool, `${pointer}/tool`, asked, { effect }) });
}

interface ResourceNaming {
  readonly resource: string;
  readonly uri: string;
  readonly with?: CallArguments;
}

/** The URI may be a template, filled from `with`. */
function checkResource(site: ExpressionSite, { resource, uri, with: args }: ResourceNaming, pointer: string): void {
  const { checking } = site;
  const uriAt = `${pointer}/uri`;
  checkTemplate(site, uri, uriAt);
  checkArguments(site, args, pointer);
  const variables = variablesOf(uri);
  const written = typeof args === 'object' ? Object.keys(args) : undefined;
  const missing =
    args === undefined || written !== undefined ? variables.filter((one) => written?.includes(one) !== true) : [];
  for (const name of missing) {
    const message = `The template of the URI has the variable ${quoted(name)}, and \`with\` does not fill it.`;
    checking.report({ code: 'missing-argument', pointer: uriAt, message, expected: `with: { ${name}: … }` });
  }
  for (const name of uri.includes('${{') ? [] : (written ?? []).filter((one) => !variables.includes(one))) {
    const message = `The URI has no variable ${quoted(name)} to be filled.`;
    const hint = didYouMean(name, variables);
    const at = childOf(`${pointer}/with`, name);
    checking.report({ code: 'unknown-argument', pointer: at, at: 'key', message, found: name, hint });
  }
  const isKnown = args === undefined || written !== undefined;
  const fitting = isKnown ? 'proved' : 'assumed';
  const verdict = missing.length > 0 ? 'contradiction' : fitting;
  const used = { server: resource, uri, named: `${pointer}/resource`, uriAt, arguments: verdict } as const;
  checkResourceUse(checking, used);
}

function checkChild(
  site: ExpressionSite,
  { workflow, with: args, await: isAwaited, timeout }: Extract<StepDocument, { workflow: string }>,
  pointer: string,
): Type | undefined {
  const { checking } = site;
  if (isAwaited === false && timeout !== undefined) {
    const message = 'With `await: false` the step waits for nothing, and its child run has the time that it needs.';
    checking.report({ code: 'unused-key', pointer: `${pointer}/timeout`, at: 'key', message });
  }
  const asked = checkArguments(site, args, pointer);
  const [id] = workflow.split('@');
  if (id !== checking.workflow) return checkChildRun(checking, workflow, `${pointer}/workflow`, asked);
  const message = `The workflow ${quoted(id)} calls itself, and would do so without end.`;
  checking.report({ code: 'calls-itself', pointer: `${pointer}/workflow`, message, hint: 'repeat does things again' });
  return undefined;
}

type SampleStep = Extract<StepDocument, { sample: unknown }>;

/** MCP 2026-07-28, SEP-2577. */
function checkDeprecated(
  { checking }: ExpressionSite,
  { sample: { via, includeContext = 'none' } }: SampleStep,
  pointer: string,
): void {
  const until = 'MCP deprecates it since 2026-07-28; the first revision from 2027-07-28 on may remove it.';
  if (via === 'caller') {
    const message = `The model of the calling client is asked by sampling. ${until}`;
    const hint = 'without `via` the configured providers answer';
    checking.report({ code: 'deprecated-in-mcp', pointer: `${pointer}/via`, message, hint });
  } else if (includeContext !== 'none') {
    const message = `With \`includeContext\` the client adds to what is sampled. ${until}`;
    const hint = 'put what the model should know into `messages`';
    checking.report({ code: 'deprecated-in-mcp', pointer: `${pointer}/includeContext`, message, hint });
  }
}

function checkSample(site: ExpressionSite, step: SampleStep, pointer: string): void {
  const { report } = site.checking;
  const at = `${pointer}/sample`;
  const { sample } = step;
  const { output, via: _via, ...request } = sample;
  checkDeprecated(site, step, at);
  for (const [key, value] of Object.entries(request)) {
    if (value !== undefined) checkTemplate(site, value as Json, `${at}/${key}`);
  }
  if (sample.messages === undefined && sample.append === undefined) {
    report({
      code: 'missing-key',
      pointer: at,
      at: 'key',
      message: 'The model is asked nothing.',
      expected: '`messages`, `append`, or both',
    });
  }
  if (output !== undefined) checkSchema(site.checking, output, `${at}/output`);
}

function checkWait(site: ExpressionSite, { wait }: Extract<StepDocument, { wait: unknown }>, pointer: string): void {
  const { checking, scope } = site;
  if (typeof wait === 'string') return;
  if ('signal' in wait) {
    const inner = { checking, scope: withNames(scope, { signal: types.any }) };
    if (wait.match !== undefined) checkCondition(inner, wait.match, `${pointer}/wait/match`);
    return;
  }
  const at = `${pointer}/wait/until`;
  const type = checkTemplate(site, wait.until, at);
  if (!wait.until.includes('${{')) checkInstant(checking, wait.until, at);
  else if (!types.mayBe(type, ['text', 'timestamp'])) {
    const found = types.describe(type);
    checking.report({
      code: 'expression-type',
      pointer: at,
      message: `An instant is a text, and this is ${found}.`,
      found,
    });
  }
}

/** Checks triggers, and whether the runs that they start get their inputs. */
import {
  zonesNear,
  types,
  type Type,
  typeOfSchema,
  schemaOf,
  quoted,
  didYouMean,
  either,
  childOf,
} from '@baton/expressions';
import { isObject, type JsonObject } from '@baton/primitives';

import { pollName } from '../compile/triggers.ts';
import { toolNameCharacters } from '../document/nameForms.ts';
import {
  type RunTriggerDocument,
  type ScheduledDocument,
  type TriggerDocument,
  isScheduled,
} from '../document/triggers.ts';
import type { Workflow } from '../document/workflow.ts';
import { defaultToolName } from '../document/workflowNames.ts';
import { reportMismatches } from '../fit/mismatch.ts';
import { isComputed } from './ask.ts';
import { checkResourceUse } from './calls.ts';
import type { ExpressionSite, CheckRun } from './checkRun.ts';
import { cronDoubt, cronProblems } from './cron.ts';
import { checkEvent } from './event.ts';
import { checkCondition, checkTemplate } from './expressions.ts';
import { checkHookHeaders } from './hookHeaders.ts';
import { checkPoll } from './poll.ts';
import { checkNotPast, checkPointInTime, checkZoneUse } from './scheduleTimes.ts';
import type { CheckScope } from './scope.ts';
import { checkHookSecret } from './secrets.ts';

/** What `event` is, by the kind of trigger: docs/triggers.md. */
const events: Readonly<Record<'schedule' | 'webhook' | 'resource' | 'device', Type>> = {
  schedule: types.map({ schedule: types.text, instant: types.text }),
  webhook: types.map({ body: types.any, headers: types.map({}, types.text), query: types.map({}, types.any) }),
  resource: types.map({ server: types.text, uri: types.text, text: types.text, contents: types.list(types.anyMap) }),
  device: types.map({ device: types.text, task: types.text, text: types.text }),
};

const failure = types.map({ code: types.text, message: types.text });
const spending = types.map({ usd: types.number, tokens: types.integer, toolCalls: types.integer });

/** Of a run that has ended, only one that succeeded has no error. */
function runEventType({ run: { status = ['failed'], waiting, budget } }: RunTriggerDocument): Type {
  const run = { run: types.text, workflow: types.text, status: types.text, url: types.text };
  if (waiting !== undefined)
    return types.map({ ...run, error: types.nothing, since: types.text, questions: types.integer });
  if (budget !== undefined) return types.map({ ...run, error: types.nothing, spent: spending });
  return types.map({ ...run, error: status.includes('succeeded') ? types.orNull(failure) : failure });
}

/** What a run trigger waits for is one thing. */
function checkRunTrigger({ report }: CheckRun, { run }: RunTriggerDocument, pointer: string): void {
  const named = (['waiting', 'budget', 'status', 'after'] as const).filter((key) => run[key] !== undefined);
  const [first, second] = named;
  if (first === undefined || second === undefined || first === 'status') return;
  report({
    code: 'conflicting-keys',
    pointer: `${pointer}/run/${second}`,
    at: 'key',
    message: `${quoted(second)} is about ${second === 'budget' ? 'what a run spends' : 'how a run ends'}, and ${quoted(first)} about one that goes on.`,
    expected: 'one of them',
    found: named.join(', '),
    hint: 'make a second trigger of it: `- run: { … }`',
  });
}

function scopeOf(checking: CheckRun, trigger: TriggerDocument, pointer: string): CheckScope {
  if ('poll' in trigger) return checkPoll(checking, trigger, pointer);
  if ('event' in trigger) return checkEvent(checking, trigger, pointer);
  if ('run' in trigger) return { names: new Map([['event', runEventType(trigger)]]), steps: undefined };
  const other = (['webhook', 'resource', 'device'] as const).find((one) => one in trigger);
  const kind = isScheduled(trigger) ? 'schedule' : other;
  return { names: new Map(kind === undefined ? [] : [['event', events[kind]]]), steps: undefined };
}

export function checkTriggers(checking: CheckRun, { on, inputs }: Workflow): void {
  const seen = new Set<string>();
  on?.forEach((trigger, i) => {
    const pointer = `/on/${i}`;
    if (checking.opaque.has(pointer)) return;
    reportDuplicate(checking, trigger, pointer, seen);
    const scope = scopeOf(checking, trigger, pointer);
    const site: ExpressionSite = { checking, scope };
    if (isScheduled(trigger)) checkSchedule(checking, trigger, pointer);
    if ('run' in trigger) checkRunTrigger(checking, trigger, pointer);
    if ('tool' in trigger) checkToolName(checking, trigger.tool, pointer);
    checkHookHeaders(checking, trigger, pointer);
    if ('webhook' in trigger) checkHookSecret(checking, trigger.secret, { pointer: `${pointer}/secret` });
    if ('if' in trigger && trigger.if !== undefined) checkCondition(site, trigger.if, `${pointer}/if`);
    if ('dedupe' in trigger && trigger.dedupe !== undefined) checkTemplate(site, trigger.dedupe, `${pointer}/dedupe`);
    if ('resource' in trigger) {
      const { resource: server, uri } = trigger;
      const place = { named: `${pointer}/resource`, uriAt: `${pointer}/uri` };
      checkResourceUse(checking, { server, uri, ...place, arguments: 'proved' });
    }
    if (!('tool' in trigger)) checkInputs(site, trigger, schemaOf(inputs ?? {}), pointer);
  });
}

function checkToolName(
  { report, workflow }: CheckRun,
  { name }: { readonly name?: string | undefined },
  pointer: string,
): void {
  if (name !== undefined || defaultToolName(workflow).length <= toolNameCharacters) return;
  const message = 'The name of the workflow is too long for a tool: give the tool a `name`.';
  report({ code: 'missing-key', pointer: `${pointer}/tool`, message, expected: 'name' });
}

function reportDuplicate({ report }: CheckRun, trigger: TriggerDocument, pointer: string, seen: Set<string>): void {
  const identity = identityOf(trigger);
  if (identity === undefined) return;
  const { key, name } = identity;
  if (seen.has(name))
    report({
      code: 'duplicate-trigger',
      pointer: `${pointer}/${key}`,
      message: `There is a second ${quoted(name)} in this list.`,
      ...(key === 'poll' || key === 'event'
        ? { hint: 'give this one an `id`; the first keeps what it has seen under the name that it has' }
        : {}),
    });
  seen.add(name);
}

/** The name that no second trigger of the kind may have, and the key that holds it; undefined: it needs none. */
function identityOf(trigger: TriggerDocument): { readonly key: string; readonly name: string } | undefined {
  if ('webhook' in trigger) return { key: 'webhook', name: `webhook ${trigger.webhook}` };
  if ('poll' in trigger || 'event' in trigger) {
    const key = 'poll' in trigger ? 'poll' : 'event';
    return { key: trigger.id === undefined ? key : 'id', name: `poll ${pollName(trigger)}` };
  }
  if ('id' in trigger && trigger.id !== undefined) return { key: 'id', name: `schedule ${trigger.id}` };
  const kind = (['tool', 'device'] as const).find((one) => one in trigger);
  return kind && { key: kind, name: kind };
}

function checkSchedule(checking: CheckRun, trigger: ScheduledDocument, pointer: string): void {
  const { report } = checking;
  const { timezone, catchUp, catchUpWindow } = trigger;
  checkTimes(checking, trigger, pointer);
  const near = timezone === undefined ? undefined : zonesNear(timezone);
  if (timezone !== undefined && near !== undefined) {
    report({
      code: 'unknown-time-zone',
      pointer: `${pointer}/timezone`,
      message: `There is no time zone ${quoted(timezone)}.`,
      expected: near.some((one) => one.startsWith('Etc/'))
        ? 'an IANA name such as Europe/Berlin; in those of Etc the sign is the other way round'
        : 'an IANA name such as Europe/Berlin',
      found: timezone,
      hint: near.length === 0 ? undefined : `did you mean ${either(near.map((one) => `"${one}"`))}?`,
    });
  }
  const catchesUp = catchUp === undefined ? 'at' in trigger : catchUp !== 'none';
  if (catchUpWindow !== undefined && !catchesUp) {
    const message = 'Without `catchUp`, nothing is caught up within this window.';
    report({
      code: 'unused-key',
      pointer: `${pointer}/catchUpWindow`,
      at: 'key',
      message,
      expected: 'catchUp: latest, or all',
    });
  }
}

function checkTimes(checking: CheckRun, trigger: ScheduledDocument, pointer: string): void {
  if ('schedule' in trigger) return checkCron(checking, trigger.schedule, `${pointer}/schedule`);
  const { timezone } = trigger;
  const zone = timezone !== undefined && zonesNear(timezone) === undefined ? timezone : 'UTC';
  if ('at' in trigger) {
    const isTime = checkPointInTime(checking, trigger.at, zone, `${pointer}/at`);
    if (isTime) checkNotPast(checking, trigger.at, zone, `${pointer}/at`);
    if (isTime) checkZoneUse(checking, { key: 'at', written: trigger.at, timezone }, pointer);
    return;
  }
  const { from } = trigger;
  const isTime = from === undefined || checkPointInTime(checking, from, zone, `${pointer}/from`);
  if (isTime) checkZoneUse(checking, { key: 'every', written: from, timezone }, pointer);
}

function checkCron({ report }: CheckRun, cron: string, pointer: string): void {
  const problems = cronProblems(cron);
  for (const problem of problems) report({ pointer, found: cron, ...problem });
  const doubt = problems.length === 0 ? cronDoubt(cron) : undefined;
  if (doubt !== undefined) report({ pointer, found: cron, ...doubt });
}

/** A run that no person starts gets all its inputs from its trigger. */
function checkInputs(
  site: ExpressionSite,
  trigger: TriggerDocument,
  schema: ReturnType<typeof schemaOf>,
  pointer: string,
): void {
  const { report } = site.checking;
  const given = ('inputs' in trigger ? trigger.inputs : undefined) ?? {};
  const at = `${pointer}/inputs`;
  if (!isObject(schema)) return;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, value] of Object.entries(given)) {
    const type = checkTemplate(site, value, childOf(at, name));
    checkInput(site, { name, value, type, at }, properties, schema['additionalProperties'] === false);
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(given, name));
  if (missing.length === 0) return;
  report({
    code: 'trigger-inputs',
    pointer: 'inputs' in trigger ? at : pointer,
    message: `A run that this starts lacks the input ${either(missing.map(quoted), 'and')}.`,
    expected: `inputs: { ${missing.map((name) => `${name}: …`).join(', ')} }`,
  });
}

interface TriggerValue {
  readonly name: string;
  readonly value: NonNullable<Workflow['outputs']>[string];
  readonly type: Type;
  readonly at: string;
}

function checkInput(
  site: ExpressionSite,
  { name, value, type, at }: TriggerValue,
  properties: JsonObject,
  isClosed: boolean,
): void {
  const { report } = site.checking;
  const pointer = childOf(at, name);
  const property = properties[name];
  if (property === undefined) {
    if (!isClosed) return;
    const hint = didYouMean(name, Object.keys(properties));
    report({
      code: 'unknown-input',
      pointer,
      at: 'key',
      message: `The workflow has no input ${quoted(name)}.`,
      found: name,
      hint,
    });
    return;
  }
  if (!isObject(property)) return;
  if (isComputed(value)) {
    const wanted = typeOfSchema(property);
    const kinds = types.kindsOf(wanted);
    const isOpen = kinds.includes('any') || types.kindsOf(type).some((kind) => kind === 'any' || kinds.includes(kind));
    if (!isOpen)
      report({
        code: 'expression-type',
        pointer,
        message: `The input is ${types.describe(wanted)}, and this is ${types.describe(type)}.`,
      });
    return;
  }
  reportMismatches(report, property, value, pointer, 'The value does not fit the input.');
}

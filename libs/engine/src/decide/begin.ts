/**
 * Creates the first event of a step, or of its next attempt. Inputs are evaluated here: once per attempt, and again where
 * the step has lined up for its turn at a server.
 */
import {
  type Template,
  describeValue,
  EvaluationError,
  instantFault,
  limits,
  validateInputs,
} from '@baton/expressions';
import {
  type AskStep,
  type CallStep,
  type KeySupport,
  type SampleStep,
  type StateStep,
  type Step,
  type ToolStep,
  type WaitStep,
  type WorkflowStep,
  strongerEffect,
} from '@baton/language';
import { type Json, type JsonObject, type JsonSchema, defined, parseInstant } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { chargedCall } from '../state/chargedCalls.ts';
import { isItemRun } from '../state/distribute.ts';
import type { WaitCondition, Call, EventOf, RunEvent } from '../state/event.ts';
import { keptChildAt } from '../state/keptChildren.ts';
import { type StepPlace, scopeAt } from '../state/place.ts';
import { unfitWrite } from '../state/runState.ts';
import { itemsLeft, smallerBudget } from '../state/spent.ts';
import { toolArguments } from '../state/toolArguments.ts';
import { argumentsFailureAt } from './argumentsFailure.ts';
import { linedUp, serverOf } from './callTurns.ts';
import type { DecisionInProgress } from './decision.ts';
import { ensuresOf } from './ensure.ts';
import { expressionFailure } from './expressionFailure.ts';

/** `hasTurn`: the step has waited for its turn at the server. */
export function beginStep(d: DecisionInProgress, step: Step, place: StepPlace, attempt: number, hasTurn = false): void {
  const path = place.prefix + step.key;
  const at = d.nowMs;
  try {
    if (attempt === 1 && !hasTurn && step.if !== undefined && step.if.evaluate(scopeAt(place, step.if)) !== true) {
      d.events.push({ type: 'step.skipped', at, path, verb: step.verb });
      return;
    }
    const event = withinBudgets(d, firstEvent(d, step, place, attempt));
    d.events.push(hasTurn ? event : inTurn(d, event));
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const failure = expressionFailure(error, step.pointer, path);
    d.events.push({ type: 'step.failed', at, path, verb: step.verb, attempt, failure });
  }
}

/** The driver has asked the budgets over time about calls like this one, and one of them is spent. */
function withinBudgets(d: DecisionInProgress, event: RunEvent): RunEvent {
  const call = d.refusals.size === 0 ? undefined : chargedCall(event);
  const failure = call && d.refusals.get(call.path);
  if (failure === undefined || !('attempt' in event) || !('verb' in event)) return event;
  const { at, path, verb, attempt } = event;
  return { type: 'step.failed', at, path, verb, attempt, failure };
}

/** Only a call that may be made lines up: one whose arguments do not fit has failed. */
function inTurn(d: DecisionInProgress, event: RunEvent): RunEvent {
  if (event.type !== 'step.started') return event;
  const server = event.call && serverOf(event.call);
  return server !== undefined && d.callTurns.isPaced(server) ? linedUp(event, server) : event;
}

function firstEvent(d: DecisionInProgress, step: Step, place: StepPlace, attempt: number): RunEvent {
  const { verb } = step;
  const base = { at: d.nowMs, path: place.prefix + step.key, verb, attempt };
  switch (step.verb) {
    case 'tool': {
      const call = toolCallOf(step, place);
      const unfit = argumentsFailureAt(step, argumentsSent(call), { isMasked: true });
      if (unfit === undefined) return { type: 'step.started', ...base, call };
      return { type: 'step.failed', ...base, failure: { ...unfit.failure, step: base.path } };
    }
    case 'prompt':
    case 'resource':
      return { type: 'step.started', ...base, call: callOf(step, place) };
    case 'sample':
      return step.via === 'caller'
        ? askCaller(d, step, place, base)
        : { type: 'step.started', ...base, call: callOf(step, place) };
    case 'set':
      return { type: 'step.succeeded', ...base, value: { json: step.values.evaluate(scopeAt(place, step.values)) } };
    case 'state':
      return stateEvent(d, step, place, base);
    case 'fail': {
      const message = text(step.message.evaluate(scopeAt(place, step.message)));
      return { type: 'step.failed', ...base, failure: { code: step.code, message, step: base.path } };
    }
    case 'parallel':
    case 'steps':
    case 'repeat':
      return { type: 'step.started', ...base };
    case 'ensure':
      return { type: 'step.started', ...base, ensures: ensuresOf(step) };
    case 'switch': {
      const index = step.cases.findIndex(
        ({ when }) => when === undefined || when.evaluate(scopeAt(place, when)) === true,
      );
      return index < 0
        ? { type: 'step.succeeded', ...base, value: { json: null } }
        : { type: 'step.started', ...base, case: index };
    }
    case 'forEach': {
      const items = step.items.evaluate(scopeAt(place, step.items));
      const count = countItems(items, step.items.pointer);
      const most = d.run.limits?.items;
      if (most === undefined) return { type: 'step.started', ...base, items: { json: items } };
      const left = itemsLeft(d.run) - d.itemsBegun;
      if (count > left) return { type: 'step.failed', ...base, failure: tooManyItems(count, left, most, base.path) };
      d.itemsBegun += count;
      return { type: 'step.started', ...base, items: { json: items }, itemCount: count };
    }
    case 'ask':
    case 'wait':
    case 'workflow':
      return { type: 'step.waiting', ...base, awaiting: awaitingOf(d, step, place, attempt) };
  }
}

/** The write is stored with the event; whether another run was first is found out there. */
function stateEvent(
  d: DecisionInProgress,
  step: StateStep,
  place: StepPlace,
  base: Pick<EventOf<'step.succeeded'>, 'at' | 'path' | 'verb' | 'attempt'>,
): RunEvent {
  const values = step.values.evaluate(scopeAt(place, step.values));
  const failure = d.refusals.get(base.path) ?? unfitWrite(d.plan.state, values, base.path);
  if (failure !== undefined) return { type: 'step.failed', ...base, failure };
  return { type: 'step.succeeded', ...base, value: { json: values }, ...(step.ifUnchanged && { ifUnchanged: true }) };
}

/**
 * Asks the model of the calling client: the process that holds its session sends the request, and the run holds no
 * worker meanwhile.
 */
function askCaller(
  d: DecisionInProgress,
  step: SampleStep,
  place: StepPlace,
  base: Pick<EventOf<'step.waiting'>, 'at' | 'path' | 'verb' | 'attempt'>,
): RunEvent {
  if (d.run.trigger.kind !== 'mcp') {
    const message = 'No MCP client called this run, so none can be asked; `via: provider` asks the configured models.';
    return { type: 'step.failed', ...base, failure: { code: 'caller-absent', message, step: base.path } };
  }
  const { totalMs } = step.timeout;
  const request = { json: requestOf(step, place) };
  const expires = totalMs === undefined ? {} : { expiresAt: d.nowMs + totalMs };
  return { type: 'step.waiting', ...base, awaiting: { for: 'sample', request, ...expires } };
}

/** Builds the call of a step: arguments evaluated, secrets masked. */
export function callOf(step: CallStep, place: StepPlace): Call {
  switch (step.verb) {
    case 'tool':
      return toolCallOf(step, place);
    case 'prompt': {
      const { server, prompt } = step;
      return { verb: 'prompt', server, prompt, arguments: { json: step.with.evaluate(scopeAt(place, step.with)) } };
    }
    case 'resource': {
      const uri = text(step.uri.evaluate(scopeAt(place, step.uri)));
      const values = step.with.evaluate(scopeAt(place, step.with));
      return { verb: 'resource', server: step.server, uri, arguments: { json: values } };
    }
    case 'sample':
      return { verb: 'sample', request: { json: requestOf(step, place) } };
  }
}

type ToolCall = Extract<Call, { verb: 'tool' }>;

/** The arguments of a call whose values are not in blobs yet. */
const argumentsSent = ({ arguments: given, added }: ToolCall): JsonObject => ({
  ...added,
  ...('json' in given ? (given.json as JsonObject) : {}),
});

function toolCallOf(step: ToolStep, place: StepPlace): ToolCall {
  const { server, tool, effect, toolEffect } = step;
  const { written, added, key } = toolArguments(step, place);
  return {
    verb: 'tool',
    server,
    tool,
    arguments: { json: written },
    effect: effect.effect,
    ...(strongerEffect(effect.effect, toolEffect) === effect.effect ? {} : { toolEffect }),
    ...defined({ idempotencyKey: key }),
    ...(Object.keys(added).length === 0 ? {} : { added }),
    ...(effect.effect === 'write' && hasKey(effect.idempotency, { ...written, ...added })
      ? { isKeyed: true as const }
      : {}),
  };
}

/** Whether the server receives an idempotency key. The author may have set the argument; only non-empty text counts. */
function hasKey(idempotency: KeySupport | undefined, sent: JsonObject): boolean {
  if (typeof idempotency !== 'object') return idempotency === 'meta';
  const key = sent[idempotency.argument];
  return typeof key === 'string' && key !== '';
}

function requestOf(step: SampleStep, place: StepPlace): JsonObject {
  const request = step.request.evaluate(scopeAt(place, step.request));
  const more = step.append?.evaluate(scopeAt(place, step.append));
  return more === undefined ? request : appended(request, text(more));
}

/** Adds one user message at the end of the conversation. */
function appended(request: JsonObject, more: string): JsonObject {
  const messages = request['messages'];
  const before = Array.isArray(messages) ? messages : [];
  return { ...request, messages: [...before, { role: 'user', content: { type: 'text', text: more } }] };
}

function awaitingOf(
  d: DecisionInProgress,
  step: AskStep | WaitStep | WorkflowStep,
  place: StepPlace,
  attempt: number,
): WaitCondition {
  if (step.verb === 'workflow') {
    // A detached child's spending does not count for this run.
    const budget = step.isDetached ? step.budget : smallerBudget(step.budget, place.allowance);
    const kept = attempt === 1 ? keptChildAt(d.run.keptChildren, place.prefix + step.key) : undefined;
    const more = { ...(budget && { budget }), ...(kept && { goesOn: kept }) };
    if (isItemRun(step)) {
      const { workflow, version } = d.run;
      const pinned = version === undefined ? {} : { version };
      return { for: 'child', workflow, ...pinned, inputs: { json: {} }, item: true, ...more };
    }
    return {
      for: 'child',
      workflow: step.workflow,
      ...defined({ version: step.version }),
      inputs: { json: step.with.evaluate(scopeAt(place, step.with)) },
      ...more,
      ...(step.isDetached && { detached: true as const }),
      ...(step.mustRead && { mustRead: true as const }),
    };
  }
  if (step.verb === 'ask') {
    const onExpire = step.onExpire && expiryAnswer(step.form, step.onExpire, place);
    return {
      for: 'answer',
      question: {
        message: text(step.message.evaluate(scopeAt(place, step.message))),
        form: step.form,
        ...(step.expiresMs === undefined ? {} : { expiresAt: d.nowMs + step.expiresMs }),
        ...defined({ onExpire }),
      },
    };
  }
  return awaitingTimeOrSignal(d, step, place);
}

function awaitingTimeOrSignal(d: DecisionInProgress, step: WaitStep, place: StepPlace): WaitCondition {
  switch (step.for.kind) {
    case 'duration':
      return { for: 'time', until: d.nowMs + step.for.ms };
    case 'until':
      return { for: 'time', until: instantIn(step.for.at.evaluate(scopeAt(place, step.for.at)), d.nowMs, step.for.at) };
    case 'signal': {
      const { name, timeoutMs } = step.for;
      return { for: 'signal', name, ...(timeoutMs === undefined ? {} : { expiresAt: d.nowMs + timeoutMs }) };
    }
  }
}

/**
 * What expiry answers, with the defaults of the form, as for the answer of a person. Throws `EvaluationError` if it does
 * not fit: before the question is asked.
 */
function expiryAnswer(form: JsonSchema, written: Template, place: StepPlace): Json {
  const { inputs, errors } = validateInputs({ inputs: form }, written.evaluate(scopeAt(place, written)));
  if (inputs !== undefined) return inputs;
  const [first] = errors;
  const message = `The answer for the expiry does not fit the form. ${first?.message ?? ''}`;
  throw new EvaluationError('expression-failed', message.trim(), `${written.pointer}${first?.pointer ?? ''}`);
}

/** Throws `EvaluationError` if the value is no point in time, or lies further ahead than a step may wait. */
function instantIn(value: Json, nowMs: number, { pointer }: Pick<Template, 'pointer'>): number {
  const written = text(value);
  const until = parseInstant(written);
  if (until === undefined) throw new EvaluationError('expression-failed', `${instantFault(written)}.`, pointer);
  if (until <= nowMs + limits.step.waitMs) return until;
  const most = limits.step.waitMs / dayMs;
  const message = `${describeValue(written)} lies more than ${most} days ahead, and a step waits at most ${most} days.`;
  throw new EvaluationError('expression-failed', message, pointer);
}

const dayMs = 86_400_000;

/** Throws `EvaluationError` if `items` is not a list or is too long. */
function countItems(items: Json, pointer: string): number {
  if (!Array.isArray(items))
    throw new EvaluationError('expression-failed', `a list is needed, and here is ${describeValue(items)}.`, pointer);
  if (items.length <= limits.step.items) return items.length;
  const message = `${items.length} items; ${limits.step.items} is the most.`;
  throw new EvaluationError('expression-failed', message, pointer);
}

const tooManyItems = (count: number, left: number, most: number, step: string): Failure => ({
  code: 'limit-exceeded',
  message: `forEach got ${count} items; the run may have ${left} more, and ${most} in all.`,
  step,
});

const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Compiles triggers. */
import {
  compileCondition,
  compileMapTemplate,
  compileTemplate,
  type Expression,
  type Template,
} from '@baton/expressions';
import { type JsonObject, canonicalJson } from '@baton/primitives';

import {
  type EventDocument,
  type PollDocument,
  type RunTriggerDocument,
  type ScheduledDocument,
  type TriggerDocument,
  isScheduled,
} from '../document/triggers.ts';
import type { Workflow } from '../document/workflow.ts';
import type { StatePlan } from '../plan.ts';
import { atText, everyText } from '../schedule/times.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { defaults } from './defaults.ts';
import { ms } from './policies.ts';
import { statePlan } from './state.ts';

interface TriggerCommon {
  /** Unique in the version: `webhook-ci`, `schedule-1`. Of a schedule and a resource it counts those of the list. */
  readonly key: string;
  readonly pointer: string;
}

/** `event` is in scope. */
interface FilteredTrigger {
  readonly inputs: Template<JsonObject>;
  readonly if?: Expression;
  /** Events with the same text start one run. */
  readonly dedupe?: Template;
}

export interface ScheduleTrigger extends TriggerCommon {
  readonly kind: 'schedule';
  /** What its author calls it. */
  readonly id?: string;
  /** Cron fields, an interval or a point in time, as `schedule/times.ts` writes them. */
  readonly times: string;
  readonly timezone: string;
  readonly overlap: 'skip' | 'queue' | 'replace' | 'allow';
  readonly catchUp: 'none' | 'latest' | 'all';
  readonly catchUpWindowMs: number;
  readonly inputs: Template<JsonObject>;
  /** The inputs as they are written. */
  readonly writtenInputs: JsonObject;
}

export interface WebhookTrigger extends TriggerCommon, FilteredTrigger {
  readonly kind: 'webhook';
  readonly name: string;
  /** The name of the secret that signs. */
  readonly secret: string;
  readonly scheme: 'standard' | 'github' | 'gitlab' | 'shopify' | 'slack' | 'stripe';
}

export interface ResourceTrigger extends TriggerCommon, FilteredTrigger {
  readonly kind: 'resource';
  readonly server: string;
  readonly uri: string;
  readonly debounceMs?: number;
}

/** What all triggers have that ask again and again. */
interface PollingTrigger extends TriggerCommon {
  /** What its author calls it, else its tool or event: the last part of the poll's name. */
  readonly name: string;
  readonly server: string;
  readonly everyMs: number;
  /** By what items are told apart: keys that were seen with another basis mean nothing. */
  readonly basis: string;
  readonly keepMs: number;
}

/** Asks a server for occurrences of an event (SEP-3415); each starts a run. */
export interface EventTrigger extends PollingTrigger {
  readonly kind: 'event';
  readonly event: string;
  readonly params: Template<JsonObject>;
  /** A run is started where the server has lost events. */
  readonly isRunOnGap: boolean;
  /** `event` is in scope. */
  readonly inputs: Template<JsonObject>;
}

/** Calls a tool that reads, again and again; each new item starts a run. */
export interface PollTrigger extends PollingTrigger {
  readonly kind: 'poll';
  readonly tool: string;
  readonly with: Template<JsonObject>;
  /** The list; `result` is in scope. */
  readonly items: Expression;
  /** The key of an item; `item` and `result` are in scope. */
  readonly itemKey: Expression;
  readonly start: 'now' | 'all';
  /** One run for all new items. */
  readonly isBatch: boolean;
  /** `result` and `item`, or `items`, are in scope. */
  readonly inputs: Template<JsonObject>;
  /** What the workflow declares, which all but the key can read as `state`. Absent: it declares none. */
  readonly state?: StatePlan;
  /** What a poll writes of it; `result` is in scope. */
  readonly writes?: Template<JsonObject>;
}

interface AwaitedEnds {
  readonly kind: 'end';
  readonly statuses: readonly ('succeeded' | 'failed' | 'cancelled')[];
  /** How many such ends in a row it takes. */
  readonly after: number;
}

interface AwaitedWait {
  readonly kind: 'wait';
  /** The run waits for so long. */
  readonly waitingMs: number;
}

interface AwaitedSpending {
  readonly kind: 'spending';
  /** The run has spent this part of a budget. */
  readonly budgetShare: number;
}

/** A run that ends, waits for long or spends much starts another one. `event` is in scope. */
export interface RunTrigger extends TriggerCommon {
  readonly kind: 'run';
  /** The pattern of the workflow of that run. */
  readonly of: string;
  readonly waitsFor: AwaitedEnds | AwaitedWait | AwaitedSpending;
  readonly inputs: Template<JsonObject>;
  readonly if?: Expression;
}

interface ToolTrigger extends TriggerCommon {
  readonly kind: 'tool';
}

export interface DeviceTrigger extends TriggerCommon, FilteredTrigger {
  readonly kind: 'device';
}

export type TriggerPlan =
  | ScheduleTrigger
  | WebhookTrigger
  | ResourceTrigger
  | PollTrigger
  | EventTrigger
  | RunTrigger
  | ToolTrigger
  | DeviceTrigger;

export function compileTriggers({ on, state }: Workflow): TriggerPlan[] {
  const counts = new Map<string, number>();
  return (on ?? []).map((trigger, i) => {
    const kind = kindOf(trigger);
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    const key = `${kind}-${nameOf(trigger) ?? n}`;
    const common = { key, pointer: `/on/${i}` };
    if ('poll' in trigger) return pollTrigger(trigger, common, state);
    if ('event' in trigger) return eventTrigger(trigger, common);
    return compileTrigger(trigger, common);
  });
}

function nameOf(trigger: TriggerDocument): string | undefined {
  if ('poll' in trigger || 'event' in trigger) return pollName(trigger);
  return 'webhook' in trigger ? trigger.webhook : undefined;
}

/** Without an `id`, a poll is known by its tool, and a trigger on an event by that. */
export const pollName = (trigger: PollDocument | EventDocument): string =>
  trigger.id ?? ('poll' in trigger ? trigger.poll : trigger.event);

const kinds = ['webhook', 'resource', 'poll', 'event', 'run', 'tool'] as const;

const kindOf = (trigger: TriggerDocument): TriggerPlan['kind'] =>
  isScheduled(trigger) ? 'schedule' : (kinds.find((kind) => kind in trigger) ?? 'device');

function compileTrigger(
  trigger: Exclude<TriggerDocument, PollDocument | EventDocument>,
  common: TriggerCommon,
): TriggerPlan {
  if ('tool' in trigger) return { kind: 'tool', ...common };
  if (isScheduled(trigger)) return scheduleTrigger(trigger, common);
  if ('run' in trigger) return runTrigger(trigger, common);
  const filtered = filteredOf(trigger, common.pointer);
  if ('webhook' in trigger) {
    const { webhook: name, secret, scheme } = trigger;
    return { kind: 'webhook', ...common, ...filtered, name, secret, scheme: scheme ?? 'standard' };
  }
  if ('device' in trigger) return { kind: 'device', ...common, ...filtered };
  const { resource: server, uri, debounce } = trigger;
  return {
    kind: 'resource',
    ...common,
    ...filtered,
    server,
    uri,
    ...(debounce === undefined ? {} : { debounceMs: ms(debounce) }),
  };
}

function scheduleTrigger(trigger: ScheduledDocument, common: TriggerCommon): ScheduleTrigger {
  const { schedule } = defaults;
  // A time that comes once is not lost where nothing ran at that minute.
  const usual = 'at' in trigger ? 'latest' : schedule.catchUp;
  const { id, timezone, overlap, catchUp, catchUpWindow, inputs = {} } = trigger;
  return {
    kind: 'schedule',
    ...common,
    ...(id === undefined ? {} : { id }),
    times: scheduledTimes(trigger),
    timezone: timezone ?? schedule.timezone,
    overlap: overlap ?? schedule.overlap,
    catchUp: catchUp ?? usual,
    catchUpWindowMs: catchUpWindow === undefined ? schedule.catchUpWindowMs : ms(catchUpWindow),
    inputs: compileMapTemplate(inputs, `${common.pointer}/inputs`),
    writtenInputs: inputs,
  };
}

function runTrigger({ run, inputs, if: condition }: RunTriggerDocument, common: TriggerCommon): RunTrigger {
  return {
    kind: 'run',
    ...common,
    of: run.workflow,
    waitsFor: awaited(run),
    inputs: compileMapTemplate(inputs ?? {}, `${common.pointer}/inputs`),
    ...(condition === undefined ? {} : { if: compileCondition(condition, `${common.pointer}/if`) }),
  };
}

function awaited({ status, after, waiting, budget }: RunTriggerDocument['run']): RunTrigger['waitsFor'] {
  if (waiting !== undefined) return { kind: 'wait', waitingMs: ms(waiting) };
  if (budget !== undefined) return { kind: 'spending', budgetShare: Number.parseInt(budget, 10) / 100 };
  return { kind: 'end', statuses: status ?? ['failed'], after: after ?? 1 };
}

function pollTrigger(trigger: PollDocument, common: TriggerCommon, declared: Workflow['state']): PollTrigger {
  const { poll: defaulted } = defaults;
  const { pointer } = common;
  const { with: given = {}, every, items, key, start, batch, keep, inputs = {}, state } = trigger;
  const [server, tool] = splitTarget(trigger.poll);
  return {
    kind: 'poll',
    ...common,
    name: pollName(trigger),
    server,
    tool,
    with: compileMapTemplate(given, `${pointer}/with`),
    everyMs: every === undefined ? defaulted.everyMs : ms(every),
    items: compileCondition(items, `${pointer}/items`),
    itemKey: compileCondition(key, `${pointer}/key`),
    basis: `${trigger.poll} ${key.trim()}`,
    start: start ?? defaulted.start,
    isBatch: batch ?? false,
    keepMs: keep === undefined ? defaulted.keepMs : ms(keep),
    inputs: compileMapTemplate(inputs, `${pointer}/inputs`),
    ...(declared === undefined ? {} : { state: statePlan(declared) }),
    ...(state === undefined ? {} : { writes: compileMapTemplate(state, `${pointer}/state`) }),
  };
}

function eventTrigger(trigger: EventDocument, common: TriggerCommon): EventTrigger {
  const { params = {}, every, onGap, keep, inputs = {} } = trigger;
  const [server, event] = splitTarget(trigger.event);
  return {
    kind: 'event',
    ...common,
    name: pollName(trigger),
    server,
    event,
    params: compileMapTemplate(params, `${common.pointer}/params`),
    everyMs: every === undefined ? defaults.event.everyMs : ms(every),
    // A cursor means nothing for other parameters.
    basis: `event ${trigger.event} ${canonicalJson(params)}`,
    isRunOnGap: onGap === 'run',
    keepMs: keep === undefined ? defaults.poll.keepMs : ms(keep),
    inputs: compileMapTemplate(inputs, `${common.pointer}/inputs`),
  };
}

/** The times that the trigger names, as one text. */
export function scheduledTimes(trigger: ScheduledDocument): string {
  if ('at' in trigger) return atText(trigger.at);
  return 'every' in trigger ? everyText(trigger.every, trigger.from) : trigger.schedule.trim();
}

type FilteredDocument = Exclude<
  TriggerDocument,
  ScheduledDocument | PollDocument | EventDocument | RunTriggerDocument | { tool: unknown }
>;

function filteredOf({ inputs, if: condition, dedupe }: FilteredDocument, pointer: string): FilteredTrigger {
  return {
    inputs: compileMapTemplate(inputs ?? {}, `${pointer}/inputs`),
    ...(condition === undefined ? {} : { if: compileCondition(condition, `${pointer}/if`) }),
    ...(dedupe === undefined ? {} : { dedupe: compileTemplate(dedupe, `${pointer}/dedupe`) }),
  };
}

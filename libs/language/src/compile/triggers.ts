/** Compiles triggers. */
import {
  compileCondition,
  compileMapTemplate,
  compileTemplate,
  type Expression,
  type Template,
} from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';

import { type ScheduledDocument, type TriggerDocument, isScheduled } from '../document/triggers.ts';
import type { Workflow } from '../document/workflow.ts';
import { atText, everyText } from '../schedule/times.ts';
import { defaults } from './defaults.ts';
import { ms } from './policies.ts';

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

export interface ToolTrigger extends TriggerCommon {
  readonly kind: 'tool';
}

export interface DeviceTrigger extends TriggerCommon, FilteredTrigger {
  readonly kind: 'device';
}

export type TriggerPlan = ScheduleTrigger | WebhookTrigger | ResourceTrigger | ToolTrigger | DeviceTrigger;

export function compileTriggers({ on }: Workflow): TriggerPlan[] {
  const counts = new Map<string, number>();
  return (on ?? []).map((trigger, i) => {
    const kind = kindOf(trigger);
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    const key = 'webhook' in trigger ? `webhook-${trigger.webhook}` : `${kind}-${n}`;
    return compileTrigger(trigger, { key, pointer: `/on/${i}` });
  });
}

const kinds = ['webhook', 'resource', 'tool'] as const;

const kindOf = (trigger: TriggerDocument): TriggerPlan['kind'] =>
  isScheduled(trigger) ? 'schedule' : (kinds.find((kind) => kind in trigger) ?? 'device');

function compileTrigger(trigger: TriggerDocument, common: TriggerCommon): TriggerPlan {
  if ('tool' in trigger) return { kind: 'tool', ...common };
  if (isScheduled(trigger)) return scheduleTrigger(trigger, common);
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

/** The times that the trigger names, as one text. */
export function scheduledTimes(trigger: ScheduledDocument): string {
  if ('at' in trigger) return atText(trigger.at);
  return 'every' in trigger ? everyText(trigger.every, trigger.from) : trigger.schedule.trim();
}

type FilteredDocument = Exclude<TriggerDocument, ScheduledDocument | { tool: unknown }>;

function filteredOf({ inputs, if: condition, dedupe }: FilteredDocument, pointer: string): FilteredTrigger {
  return {
    inputs: compileMapTemplate(inputs ?? {}, `${pointer}/inputs`),
    ...(condition === undefined ? {} : { if: compileCondition(condition, `${pointer}/if`) }),
    ...(dedupe === undefined ? {} : { dedupe: compileTemplate(dedupe, `${pointer}/dedupe`) }),
  };
}

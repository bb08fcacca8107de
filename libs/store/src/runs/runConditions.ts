/**
 * Translates a filter of runs to SQL. Adds conditions that follow from the filter, so that the partial indexes apply.
 */
import type { RunStatus, Trigger } from '@baton/engine';
import type { Effect } from '@baton/language';
import type { Pool } from 'pg';

import { queryRows } from '../database/queryRows.ts';
import { firstRunId } from '../database/runId.ts';
import { workflowCondition } from '../database/workflowConditions.ts';
import { pathColumnOf, readableJson } from '../journal/eventText.ts';
import { isStorable } from '../journal/storableText.ts';

export interface RunFilter {
  /** A pattern, such as `payments/*`. */
  readonly workflow?: string;
  /** Patterns: one of these too. */
  readonly workflows?: readonly string[];
  /** Any of these. */
  readonly statuses?: readonly RunStatus[];
  readonly tag?: string;
  readonly trigger?: Trigger['kind'];
  /** Created at this instant or later, epoch milliseconds. */
  readonly from?: number;
  /** Created before this instant. */
  readonly to?: number;
  /** Only runs with open questions. */
  readonly isAsking?: boolean;
  /** Whether a retry goes on from the run. */
  readonly isRetried?: boolean;
  /** False: only runs that no other run went on from. */
  readonly isContinued?: false;
  /** With `isContinued`: a run that was continued by a request with this key, and `/` and the run’s id, is found too. */
  readonly repeatedKey?: { readonly scope: string; readonly key: string } | undefined;
  /** Occurs in the failure, in upper or lower case. */
  readonly text?: string;
  /** Only these runs. */
  readonly ids?: readonly string[];
  /** The run's definition names this server; with `tool`, this tool of the server. */
  readonly server?: string;
  readonly tool?: string;
  /** The run's definition names a tool that has this effect. */
  readonly effect?: Effect;
  /** Only runs that this run started; null: that no run started. */
  readonly parentRunId?: string | null;
  /** Only runs with a call whose outcome is not known. */
  readonly isUnknown?: boolean;
}

export interface RunConditions {
  /** Join them with `and`. */
  readonly conditions: readonly string[];
  /** Adds a parameter and returns its name in the statement, such as `$1`. */
  readonly bind: (value: unknown) => string;
  readonly values: readonly unknown[];
}

const unfinished: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'waiting']);
const active: ReadonlySet<RunStatus> = new Set(['queued', 'running']);
const unsuccessful: ReadonlySet<RunStatus> = new Set(['failed', 'cancelled']);

/** Whether Postgres can hold the filter's texts; a text that it cannot hold matches nothing. */
export const isFindable = ({ workflow = '', tag = '', text = '', server = '', tool = '' }: RunFilter): boolean =>
  isStorable(`${workflow}${tag}${text}${server}${tool}`);

/** The conditions of every field except `text`, which has no index: see `textPattern`. */
export async function runConditions(pool: Pool, filter: RunFilter): Promise<RunConditions> {
  const { workflow, workflows, statuses, tag, trigger, from, to, isAsking, isRetried, isContinued, ids, parentRunId } =
    filter;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  for (const patterns of [workflow === undefined ? undefined : [workflow], workflows]) {
    const selected = patterns && workflowCondition('workflow', await namesFor(pool, patterns), bind);
    if (selected !== undefined) conditions.push(selected);
  }
  if (statuses !== undefined) conditions.push(`status = any(${bind(statuses)}::text[])`);
  const isEach = (among: ReadonlySet<RunStatus>): boolean => statuses?.every((status) => among.has(status)) === true;
  if (isEach(unfinished)) conditions.push('ended_at is null');
  if (isEach(active)) conditions.push('not is_waiting');
  if (isEach(unsuccessful) || filter.text !== undefined) conditions.push('is_unsuccessful');
  if (tag !== undefined) conditions.push(`tags @> array[${bind(tag)}::text]`, `tags <> '{}'::text[]`);
  if (trigger !== undefined) conditions.push(`trigger_kind = ${bind(trigger)}`, ...indexedTrigger(trigger));
  if (isAsking === true) conditions.push('questions > 0');
  if (isRetried !== undefined) conditions.push(isRetried ? retried : `not ${retried}`);
  if (isContinued === false) conditions.push(notContinued(filter.repeatedKey, bind));
  if (parentRunId === null) conditions.push('parent_run_id is null');
  else if (parentRunId !== undefined) conditions.push(`parent_run_id = ${bind(parentRunId)}::uuid`);
  if (ids !== undefined) conditions.push(`id = any(${bind(ids)}::uuid[])`);
  if (from !== undefined) conditions.push(`id >= ${bind(firstRunId(from))}::uuid`);
  if (to !== undefined) conditions.push(`id < ${bind(firstRunId(to))}::uuid`);
  conditions.push(...callConditions(filter, bind));
  return { conditions, bind, values };
}

/**
 * Runs are many and the names of their workflows few: the names are read from the index one after another, and the runs
 * are then found by name. The order of names may be any collation’s, so a pattern is no range of it.
 */
async function namesFor(pool: Pool, patterns: readonly string[]): Promise<readonly string[]> {
  if (!patterns.some((one) => one.endsWith('/*'))) return patterns;
  const values: unknown[] = [];
  const isSelected = workflowCondition('name', patterns, (value) => `$${values.push(value)}`);
  if (isSelected === undefined) return patterns;
  const rows = await queryRows<{ name: string }>(
    pool,
    `with recursive seen(name) as (
       (select workflow from run order by workflow limit 1) union all
       select (select workflow from run where workflow > seen.name order by workflow limit 1) from seen where name is not null)
     select name from seen where name is not null and ${isSelected}`,
    values,
  );
  return rows.map(({ name }) => name);
}

function callConditions({ server, tool, effect, isUnknown }: RunFilter, bind: RunConditions['bind']): string[] {
  return [
    ...(server === undefined && tool === undefined ? [] : [naming(bind(namePattern(server, tool)))]),
    ...(effect === undefined ? [] : [pinning(bind(effect))]),
    ...(isUnknown !== true ? [] : [`id in (select lost.run_id from run_event as lost where ${stillUnknown})`]),
  ];
}

/** Of `step.unknown` events in `lost`: no answer came late, no person or check settled it, and no attempt followed. */
export const stillUnknown = `lost.type = 'step.unknown' and not exists (
  select from run_event as later where later.run_id = lost.run_id and later.seq > lost.seq
    and later.type in ('step.started', 'step.succeeded', 'step.failed')
    and ${pathColumnOf('later')} = ${pathColumnOf('lost')})`;

/** `runConditions`, and that of `text`: for statements that look at all runs that match. */
export async function allConditions(pool: Pool, filter: RunFilter): Promise<RunConditions> {
  const known = await runConditions(pool, filter);
  if (filter.text === undefined) return known;
  const conditions = [...known.conditions, `failure::text ilike ${known.bind(textPattern(filter.text))}`];
  return { ...known, conditions };
}

/** Whether a retry goes on from the run. */
export const retried = `exists (select from run as later where later.rerun_of = run.id and later.trigger_kind = 'retry')`;

function notContinued(repeated: RunFilter['repeatedKey'], bind: RunConditions['bind']): string {
  const before =
    repeated &&
    ` and not exists (select from idempotency_key where run_id = later.id
      and scope = ${bind(repeated.scope)} and key = ${bind(`${repeated.key}/`)} || run.id::text)`;
  return `not exists (select from run as later where later.rerun_of = run.id${before ?? ''})`;
}

/** The index on triggers leaves out `api`, which most runs have. */
const indexedTrigger = (trigger: Trigger['kind']): string[] => (trigger === 'api' ? [] : [`trigger_kind <> 'api'`]);

/** Searches the texts of definitions, which are few and name a tool as `server/tool`. */
const naming = (pattern: string): string =>
  `definition = any(array(select digest from definition where source ~ ${pattern} or pins::text ~ ${pattern}))`;

/** By the server and its configuration, as pinned. */
const pinning = (effect: string): string =>
  `definition = any(array(select digest from definition where exists (
    select from json_each(${readableJson('pins')}) as pin(name, seen) where pin.seen->>'effect' = ${effect})))`;

function namePattern(server: string | undefined, tool: string | undefined): string {
  const inName = String.raw`[^\s"'/]`;
  const before = server === undefined ? '' : String.raw`(^|[\s"'])${literal(server)}`;
  const after = tool === undefined ? inName : String.raw`${literal(tool)}($|[\s"',}\]])`;
  return `${before}/${after}`;
}

const literal = (text: string): string => text.replaceAll(/[^\w\s]/gu, String.raw`\$&`);

/** The pattern for `ilike` on a failure, which is JSON: so the text is escaped as in JSON. */
export const textPattern = (text: string): string =>
  `%${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

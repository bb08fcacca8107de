/**
 * Translates a filter of runs to SQL. It also states what follows from the filter, so that the partial indexes on runs
 * apply.
 */
import type { RunStatus, Trigger } from '@baton/engine';

import { isStorable } from '../journal/storableText.ts';
import { firstRunId } from './runId.ts';

export interface RunFilter {
  readonly workflow?: string;
  /** Any of these. */
  readonly workflows?: readonly string[];
  /** Any of these. */
  readonly statuses?: readonly RunStatus[];
  readonly tag?: string;
  readonly trigger?: Trigger['kind'];
  /** Created at this instant or later, epoch milliseconds. */
  readonly from?: number;
  /** Created before this instant. */
  readonly to?: number;
  /** With open questions only. */
  readonly isAsking?: boolean;
  /** In the failure, in upper or lower case. */
  readonly text?: string;
  /** Of a version that names this server; with `tool`: this tool of it, or of any server. */
  readonly server?: string;
  readonly tool?: string;
}

export interface RunConditions {
  /** To be joined with `and`. */
  readonly conditions: readonly string[];
  /** Adds a parameter: its place in the statement, `$1`. */
  readonly bind: (value: unknown) => string;
  readonly values: readonly unknown[];
}

const unfinished: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'waiting']);
const active: ReadonlySet<RunStatus> = new Set(['queued', 'running']);
const unsuccessful: ReadonlySet<RunStatus> = new Set(['failed', 'cancelled']);

/** What cannot be stored cannot be found. */
export const isFindable = ({ workflow = '', tag = '', text = '', server = '', tool = '' }: RunFilter): boolean =>
  isStorable(`${workflow}${tag}${text}${server}${tool}`);

/** All but `text`, which no index answers: see `textPattern`. */
export function runConditions(filter: RunFilter): RunConditions {
  const { workflow, workflows, statuses, tag, trigger, from, to, isAsking, server, tool } = filter;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (workflow !== undefined) conditions.push(`workflow = ${bind(workflow)}`);
  if (workflows !== undefined) conditions.push(`workflow = any(${bind(workflows)}::text[])`);
  if (statuses !== undefined) conditions.push(`status = any(${bind(statuses)}::text[])`);
  const isEach = (among: ReadonlySet<RunStatus>): boolean => statuses?.every((status) => among.has(status)) === true;
  if (isEach(unfinished)) conditions.push('ended_at is null');
  if (isEach(active)) conditions.push('not is_waiting');
  if (isEach(unsuccessful) || filter.text !== undefined) conditions.push('is_unsuccessful');
  if (tag !== undefined) conditions.push(`tags @> array[${bind(tag)}::text]`, `tags <> '{}'::text[]`);
  if (trigger !== undefined) conditions.push(`trigger_kind = ${bind(trigger)}`, ...indexedTrigger(trigger));
  if (isAsking === true) conditions.push('questions > 0');
  if (from !== undefined) conditions.push(`id >= ${bind(firstRunId(from))}::uuid`);
  if (to !== undefined) conditions.push(`id < ${bind(firstRunId(to))}::uuid`);
  if (server !== undefined || tool !== undefined) conditions.push(naming(bind(namePattern(server, tool))));
  return { conditions, bind, values };
}

/** The index on triggers leaves out the one that most runs have. */
const indexedTrigger = (trigger: Trigger['kind']): string[] => (trigger === 'api' ? [] : [`trigger_kind <> 'api'`]);

/** Definitions are few, and their texts name what they call in one way: `server/tool`. */
const naming = (pattern: string): string =>
  `definition = any(array(select digest from definition where source ~ ${pattern} or pins::text ~ ${pattern}))`;

function namePattern(server: string | undefined, tool: string | undefined): string {
  const inName = String.raw`[^\s"'/]`;
  const before = server === undefined ? '' : String.raw`(^|[\s"'])${literal(server)}`;
  const after = tool === undefined ? inName : String.raw`${literal(tool)}($|[\s"',}\]])`;
  return `${before}/${after}`;
}

const literal = (text: string): string => text.replaceAll(/[^\w\s]/gu, String.raw`\$&`);

/** For `ilike` on a failure, which is JSON: the text as JSON writes it. */
export const textPattern = (text: string): string =>
  `%${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** A run's row, as lists show and filter it. */
import type { Failure, Parent, RunStatus, Trigger, Value, WaitCondition } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';

import type { Run as Row } from '../generated/client.ts';

/** What the step waits for that began to wait last. */
export interface WaitsFor {
  readonly step: string;
  readonly kind: WaitCondition['for'] | 'retry';
  /** Of a signal, of a server, or the workflow of a child run. */
  readonly name?: string;
  /** Who has to log in to the server, by name. */
  readonly login?: string;
}

/** Instants are epoch milliseconds, as in the engine. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly definition: string;
  readonly status: RunStatus;
  readonly trigger: Trigger;
  readonly by: string;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly depth: number;
  readonly inputs: Value;
  readonly outputs: Value | undefined;
  readonly failure: Failure | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly wakeAt: number | undefined;
  readonly worker: string | undefined;
  readonly isCancelling: boolean;
  readonly questions: number;
  /** What models cost it, child runs included; 0 where it ended before that was kept. */
  readonly tokens: number;
  readonly usd: number;
  readonly parent: Parent | undefined;
  readonly rerunOf: string | undefined;
  /** Path of the step that began last; only in lists, for a run with status `running`. */
  readonly lastStep?: string;
  /** Only in lists, for a run that waits. */
  readonly waitsFor?: WaitsFor;
  /** Its newest retry; only in lists, for a run that failed or was cancelled. */
  readonly retriedAs?: string;
}

const ms = (date: Date | null): number | undefined => date?.getTime();

/** The `json` columns hold the JSON of the engine's own types. */
export function summaryOf(row: Row): RunSummary {
  return {
    id: row.id,
    workflow: row.workflow,
    version: row.version ?? undefined,
    definition: row.definition,
    status: row.status as RunStatus,
    trigger: triggerOf(row),
    by: row.by,
    tags: row.tags,
    priority: row.priority,
    depth: row.depth,
    inputs: row.inputs as unknown as Value,
    outputs: (row.outputs as unknown as Value | null) ?? undefined,
    failure: (row.failure as unknown as Failure | null) ?? undefined,
    createdAt: row.createdAt.getTime(),
    startedAt: ms(row.startedAt),
    endedAt: ms(row.endedAt),
    wakeAt: ms(row.wakeAt),
    worker: row.worker ?? undefined,
    isCancelling: row.isCancelling,
    questions: row.questions,
    tokens: Number(row.tokens ?? 0),
    usd: row.usd ?? 0,
    parent: parentOf(row),
    rerunOf: row.rerunOf ?? undefined,
  };
}

function triggerOf({ triggerKind, triggerDetail }: Row): Trigger {
  const kind = triggerKind as Trigger['kind'];
  return triggerDetail === null ? { kind } : { kind, detail: triggerDetail as JsonObject };
}

function parentOf({ parentRunId, parentPath, parentAttempt }: Row): Parent | undefined {
  if (parentRunId === null || parentPath === null || parentAttempt === null) return undefined;
  return { runId: parentRunId, path: parentPath, attempt: parentAttempt };
}

/** Runs, as the API shows them. */
import type { RunStatus, StepStatus } from '@baton/engine';
import type { Json, JsonObject, Verb } from '@baton/language';

import type { Client } from './client.ts';

interface ShownFailure {
  readonly code: string;
  readonly message: string;
  readonly step?: string;
  readonly details?: Json;
}

export interface ShownAttempt {
  readonly n: number;
  readonly status: StepStatus;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly error?: ShownFailure;
  readonly worker?: string;
}

interface ShownProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ShownStep {
  readonly id: string;
  readonly path: string;
  readonly verb: Verb;
  readonly target?: string;
  readonly status: StepStatus;
  readonly attempts: readonly ShownAttempt[];
  readonly output?: Json;
  readonly error?: ShownFailure;
  readonly by?: string;
  /** As the server told it; of a `forEach` or a `repeat`, how many items are finished. */
  readonly progress?: ShownProgress;
}

export interface ShownRun {
  readonly id: string;
  readonly workflow: string;
  /** null: the workflow was given inline. */
  readonly version?: number | null;
  readonly status: RunStatus;
  readonly trigger?: Json;
  readonly tags?: readonly string[];
  readonly inputs?: Json;
  readonly outputs?: Json;
  readonly error?: ShownFailure;
  readonly steps?: readonly ShownStep[];
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly cancelRequested?: true;
  readonly rerunOf?: string;
  /** How many are open; absent: none. */
  readonly questions?: number;
}

export interface StartRequest {
  readonly inputs: JsonObject;
  readonly version?: number;
  readonly priority?: number;
  readonly delay?: string;
  readonly tags?: readonly string[];
}

export interface StartedRun {
  readonly id: string;
  readonly status: RunStatus;
}

const runPath = (id: string): string => `/v1/runs/${encodeURIComponent(id)}`;

export async function getRun(client: Client, id: string): Promise<ShownRun> {
  return (await client.get(runPath(id))) as unknown as ShownRun;
}

export async function cancelRun(client: Client, id: string, reason?: string): Promise<void> {
  await client.call('POST', `${runPath(id)}/cancel`, { body: reason === undefined ? {} : { reason } });
}

/** `workflow`: the id of a deployed one, or a whole workflow. The same key again is the same run. */
export async function startRun(
  client: Client,
  workflow: string | JsonObject,
  request: StartRequest,
  idempotencyKey?: string,
): Promise<StartedRun> {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const body = { workflow, ...request } as JsonObject;
  return (await client.call('POST', '/v1/runs', { body, headers })).json as unknown as StartedRun;
}

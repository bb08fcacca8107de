/** Runs, once more: what is kept, and what is done again. */
import type { Effect, JsonObject, Verb } from '@baton/language';

import type { Client } from './client.ts';

export interface RepeatedCall {
  readonly path: string;
  readonly verb: Verb;
  readonly target?: string;
  readonly effect?: Effect;
  /** What became of it in the old run. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'cancelled';
}

export interface Rerunning {
  /** Absent for a preview. */
  readonly id?: string;
  readonly rerunOf: string;
  /** Steps whose outcomes are kept. */
  readonly kept: number;
  readonly again: readonly RepeatedCall[];
}

export async function rerunRun(
  client: Client,
  id: string,
  kind: 'retry' | 'rerun',
  body: JsonObject,
  idempotencyKey?: string,
): Promise<Rerunning> {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const { json } = await client.call('POST', `/v1/runs/${encodeURIComponent(id)}/${kind}`, { body, headers });
  return json as unknown as Rerunning;
}

/** A client's request for a run, as each process takes it: into the queue, or home, where the process drives it itself. */
import { replay } from '@baton/engine';
import { type Bell, type BeginningRun, bellAheadMs, requested } from '@baton/runner';

import type { Connection, Database } from './database.ts';
import type { Machine } from './machine.ts';
import type { Rates } from './rates.ts';

export interface Order {
  readonly workflow: string;
  readonly key: string;
}

export interface Door {
  readonly machine: Machine;
  readonly around: { readonly database: Database; readonly rates: () => Rates };
  readonly connection: Connection;
  readonly bell: Bell;
  /** Begins to drive the run, where this process has a place for it. */
  readonly tryBegin?: (beginning: BeginningRun) => boolean;
}

/** As `RunStarter` waits for the first decision of a run that begins at once. */
const beginMs = 50;

/** The run's id, as soon as it may be told. */
export async function startRun(door: Door, { workflow, key }: Order): Promise<string> {
  const { machine, around, connection } = door;
  const { clock, random } = machine;
  const trigger = { kind: 'api' } as const;
  const order = { workflow, version: 1, definition: workflow, inputs: {}, trigger, by: 'client', tags: [key] };
  const runId = around.database.newRunId();
  const idempotency = { scope: 'runs', key, digest: workflow };
  const request = { runId, ...requested(order, clock.now()), idempotency };
  const begun = await beginHere(door, request);
  if (begun !== undefined) return begun;
  const ring = (id: string): void => void door.bell.ring([{ runId: id }]).catch(() => {});
  const isEarly = random.chance(around.rates().bellEarly);
  const rungAt = clock.monotonic();
  if (isEarly) ring(runId);
  const made = await connection.request(request);
  // A bell that fails is rung again by the reconciler.
  if (!isEarly || made.runId !== runId || clock.monotonic() - rungAt >= bellAheadMs) ring(made.runId);
  return made.runId;
}

/** Undefined where nothing was stored. */
async function beginHere(
  { machine, around, connection, tryBegin }: Door,
  request: Parameters<Connection['unstored']>[0],
): Promise<string | undefined> {
  const plan = around.database.plans.get(request.event.definition);
  if (tryBegin === undefined || plan === undefined || plan.concurrency !== undefined) return undefined;
  const log = connection.unstored(request);
  if (!tryBegin({ run: replay(request.runId, [request.event]), log, plan })) return undefined;
  const cancelTimer = machine.clock.after(beginMs, () => log.giveUp());
  const made = await log.outcome.finally(cancelTimer);
  return made?.runId;
}

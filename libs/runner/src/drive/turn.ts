/** Applies the concurrency limit of workflows: runs beyond it stay queued until it is their turn. */
import { type Run, type Turn, type UnfinishedRun, isEnded, resolve, turnOf } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import type { Plan } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import type { Ring } from '../ports/bell.ts';
import { advance, advanceUnlessForged } from '../record/advance.ts';
import { LostValueError } from '../values/lostValue.ts';
import { withLoadedValues } from '../values/withLoadedValues.ts';
import { notifyParent } from './childEnds.ts';

type TurnPorts = Pick<Ports, 'turns' | 'journal' | 'bell' | 'bus' | 'clock' | 'blobs' | 'cache' | 'observe'>;

/**
 * Asks whether a run that was never claimed may begin. `finished`: it was cancelled before its turn came. Rejects with
 * `UnavailableError`.
 */
export async function takeTurn(
  ports: TurnPorts,
  plan: Plan,
  run: UnfinishedRun,
): Promise<'begin' | 'waiting' | 'finished'> {
  if (ports.turns === undefined || plan.concurrency === undefined || run.part !== undefined) return 'begin';
  const turn = await withLoadedValues(ports, run.id, (blobs) =>
    turnOfRun(plan, run, resolve(run.inputs, blobs) as JsonObject),
  ).catch((error: unknown) => sharedTurn(error, plan, run));
  if (turn === undefined) return 'begin';
  const { isAdmitted, admitted, older, newer } = await ports.turns.take(run.id, turn, run.notBefore ?? run.createdAt);
  ring(ports, admitted);
  if (isAdmitted) return 'begin';
  if (newer !== undefined) await replace(ports, run.id, newer);
  if (run.cancel !== undefined || newer !== undefined) return endUnbegun(ports, run.id);
  if (turn.whenFull === 'replace') for (const id of older) await replace(ports, id, run.id);
  return 'waiting';
}

/**
 * Rings for the runs that may begin now that this one is over. Rejects with `UnavailableError`; the reconciler repeats
 * it.
 */
export async function passTurn(ports: Pick<Ports, 'turns' | 'bell'>, plan: Plan, run: Run): Promise<void> {
  if (ports.turns === undefined || plan.concurrency === undefined || run.part !== undefined) return;
  ring(ports, await ports.turns.pass(run.id));
}

function turnOfRun(plan: Plan, run: Run, inputs: JsonObject): Turn | undefined {
  try {
    return turnOf(plan, run, inputs);
  } catch (error) {
    return sharedTurn(error, plan, run);
  }
}

/**
 * The key was valid when the run was requested. Runs whose key fails now, or whose inputs are lost, share one turn: that may
 * admit too few of them, never too many. Throws any other error.
 */
function sharedTurn(error: unknown, plan: Plan, run: Run): Turn {
  const isOfRun = error instanceof EvaluationError || error instanceof LostValueError;
  if (!isOfRun || plan.concurrency === undefined) throw error;
  const { limit, whenFull } = plan.concurrency;
  return { workflow: run.workflow, isInline: run.version === undefined, key: null, limit, whenFull };
}

/** No step has begun, so nothing is cleaned up: neither its steps nor its `finally` run. */
async function endUnbegun(ports: TurnPorts, runId: string): Promise<'begin' | 'finished'> {
  const advanced = await advance(ports.journal, runId, (run) => {
    if (run.status !== 'queued' || run.cancel === undefined) return [];
    const failure = { code: 'cancelled', message: run.cancel.reason ?? 'The run was cancelled.' } as const;
    return [{ type: 'run.finished', at: Math.max(ports.clock.now(), run.at), status: 'cancelled', failure }];
  });
  if (advanced === undefined || advanced.events.length === 0) return 'begin';
  const { run, events } = advanced;
  ports.bus.publish({ runId, seq: run.seq });
  ports.observe?.(run, events);
  ring(ports, (await ports.turns?.pass(runId)) ?? []);
  await notifyParent(ports, run);
  return 'finished';
}

async function replace(ports: TurnPorts, runId: string, by: string): Promise<void> {
  const advanced = await advanceUnlessForged(ports.journal, runId, (run) => {
    if (isEnded(run) || run.cancel !== undefined) return [];
    const reason = 'a newer run with the same concurrency key replaces it';
    return [{ type: 'run.cancelRequested', at: Math.max(ports.clock.now(), run.at), by: `run ${by}`, reason }];
  });
  if (advanced === undefined || advanced.events.length === 0) return;
  const { seq, priority } = advanced.run;
  ports.bus.publish({ runId, seq });
  ring(ports, [{ runId, priority }]);
}

/** The reconciler rings again where a bell fails. */
function ring({ bell }: Pick<Ports, 'bell'>, rings: readonly Ring[]): void {
  if (rings.length > 0) bell.ring(rings).catch(() => {});
}

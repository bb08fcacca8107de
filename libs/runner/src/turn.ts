/** Runs of which only so many may go on at once: each waits, queued, until it is its turn. */
import type { Run, Turn } from '@baton/engine';
import { resolve, turnOf } from '@baton/engine';
import type { JsonObject, Plan } from '@baton/language';
import { EvaluationError } from '@baton/language';

import { advance } from './advance.ts';
import type { Ring } from './bell.ts';
import { tellParent } from './child.ts';
import type { Ports } from './ports.ts';
import { withLoadedValues } from './withLoadedValues.ts';

/** Whose turn it is. Runs that are over have none. All reject with `UnavailableError`. */
export interface Turns {
  /** Joins the line, where the run does not stand in it yet. `dueAt`: whose is earlier goes first. */
  take(runId: string, turn: Turn, dueAt: number): Promise<TurnTaken>;
  /** For a run that is over: whose turn it is now. */
  pass(runId: string): Promise<readonly Ring[]>;
}

export interface TurnTaken {
  readonly isAdmitted: boolean;
  /** Others, whose turn has come meanwhile. */
  readonly admitted: readonly Ring[];
  /** Runs before this one that must go for it to have its turn, but for the newest that may go on beside it. */
  readonly older: readonly string[];
  /** Runs that came after this one are in line: the last that counts: this one is to make way, and has left the line. */
  readonly newer?: string | undefined;
}

type TurnPorts = Pick<Ports, 'turns' | 'journal' | 'bell' | 'bus' | 'clock' | 'blobs' | 'cache' | 'observe'>;

/** For a run that nobody has claimed yet. `finished`: it was cancelled before its turn came. Rejects with `UnavailableError`. */
export async function awaitTurn(ports: TurnPorts, plan: Plan, run: Run): Promise<'begin' | 'waiting' | 'finished'> {
  if (ports.turns === undefined || plan.concurrency === undefined || run.part !== undefined) return 'begin';
  const turn = await withLoadedValues(ports, run.id, (blobs) =>
    turnOfRun(plan, run, resolve(run.inputs, blobs) as JsonObject),
  );
  if (turn === undefined) return 'begin';
  const { isAdmitted, admitted, older, newer } = await ports.turns.take(run.id, turn, run.notBefore ?? run.createdAt);
  ring(ports, admitted);
  if (isAdmitted) return 'begin';
  if (newer !== undefined) await replace(ports, run.id, newer);
  if (run.cancel !== undefined || newer !== undefined) return endUnbegun(ports, run.id);
  if (turn.whenFull === 'replace') for (const id of older) await replace(ports, id, run.id);
  return 'waiting';
}

/** Rings for the runs that may go on now that this one is over. Rejects with `UnavailableError`; the reconciler looks too. */
export async function passTurn(ports: Pick<Ports, 'turns' | 'bell'>, plan: Plan, run: Run): Promise<void> {
  if (ports.turns === undefined || plan.concurrency === undefined || run.part !== undefined) return;
  ring(ports, await ports.turns.pass(run.id));
}

function turnOfRun(plan: Plan, run: Run, inputs: JsonObject): Turn | undefined {
  try {
    return turnOf(plan, run, inputs);
  } catch (error) {
    if (!(error instanceof EvaluationError) || plan.concurrency === undefined) throw error;
    // It could be computed when the run was asked for. Such runs count together: rather one too few at once.
    const { limit, whenFull } = plan.concurrency;
    return { workflow: run.workflow, isInline: run.version === undefined, key: null, limit, whenFull };
  }
}

/** Nothing of it has begun, so nothing is to be cleaned up: neither its steps nor its `finally` run out of turn. */
async function endUnbegun(ports: TurnPorts, runId: string): Promise<'begin' | 'finished'> {
  const advanced = await advance(ports.journal, runId, ({ status, cancel, at }) => {
    if (status !== 'queued' || cancel === undefined) return [];
    const failure = { code: 'cancelled', message: cancel.reason ?? 'The run was cancelled.' } as const;
    return [{ type: 'run.finished', at: Math.max(ports.clock.now(), at), status: 'cancelled', failure }];
  });
  if (advanced === undefined || advanced.events.length === 0) return 'begin';
  const { run, events } = advanced;
  ports.bus.publish({ runId, seq: run.seq });
  ports.observe?.(run, events);
  ring(ports, (await ports.turns?.pass(runId)) ?? []);
  await tellParent(ports, run);
  return 'finished';
}

async function replace(ports: TurnPorts, runId: string, by: string): Promise<void> {
  const advanced = await advance(ports.journal, runId, ({ endedAt, cancel, at }) => {
    if (endedAt !== undefined || cancel !== undefined) return [];
    const reason = 'a newer run with the same concurrency key takes its place';
    return [{ type: 'run.cancelRequested', at: Math.max(ports.clock.now(), at), by: `run ${by}`, reason }];
  });
  if (advanced === undefined || advanced.events.length === 0) return;
  const { seq, priority } = advanced.run;
  ports.bus.publish({ runId, seq });
  ring(ports, [{ runId, priority }]);
}

/** A bell that fails is rung again by the reconciler. */
function ring({ bell }: Pick<Ports, 'bell'>, rings: readonly Ring[]): void {
  if (rings.length > 0) bell.ring(rings).catch(() => {});
}

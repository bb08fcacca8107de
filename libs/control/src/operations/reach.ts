/** What a caller reaches. What it does not reach is absent for it, in the words for what was never there. */
import { instant, ProblemError } from '@baton/api';
import type { RunEvent } from '@baton/engine';
import type { Clock, Journal, Plans } from '@baton/runner';
import { type Store, createdAtOf, getRun, isRunId } from '@baton/store';

import { type checkEffectsOf, checkParentEffects } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import { onWorkflow } from '../keys/narrowing.ts';
import type { Principal } from '../keys/scopes.ts';

export interface ById {
  readonly id: string;
}

export interface JournalParts {
  readonly journal: Journal;
  readonly clock: Clock;
}

export interface RunRowParts {
  readonly store: Store;
  readonly plans: Plans;
  readonly clock: Clock;
}

type RunRow = NonNullable<Awaited<ReturnType<typeof getRun>>>;

/** The journal of a run. */
export async function runJournal(
  { journal, clock }: JournalParts,
  caller: Principal,
  { id }: ById,
): Promise<readonly RunEvent[]> {
  const opened = isRunId(id) ? await journal.open(id) : undefined;
  const [first] = opened?.events ?? [];
  const isReached = first?.type === 'run.requested' && maySee(caller, first.workflow);
  if (opened === undefined || !isReached) throw runNotFound(id, clock);
  return opened.events;
}

/** A run's row. */
export async function runRow(
  { store, clock }: Pick<RunRowParts, 'store' | 'clock'>,
  caller: Principal,
  { id }: ById,
): Promise<RunRow> {
  const run = await getRun(store, id);
  if (run === undefined || !maySee(caller, run.workflow)) throw runNotFound(id, clock);
  return run;
}

/** As `runRow`; for a key without limits it reads nothing, since the append finds out whether there is such a run. */
export async function runToAppendTo(parts: RunRowParts, caller: Principal, input: ById): Promise<RunRow | undefined> {
  if (caller.workflows !== undefined || caller.effects !== undefined) return runRow(parts, caller, input);
  if (!isRunId(input.id)) throw runNotFound(input.id, parts.clock);
  return undefined;
}

/** Checks what a run does next, and what the runs do that wait for it. `check`: of the run itself. */
export const effectsOfRun =
  (check: typeof checkEffectsOf) =>
  async (parts: RunRowParts, caller: Principal, run: RunRow | undefined): Promise<void> => {
    if (run === undefined) return;
    const acting = onWorkflow(caller, run.workflow);
    await check(acting, parts.plans, run.definition);
    await checkParentEffects(acting, parts, run.parent);
  };

export function runNotFound(id: string, clock: Pick<Clock, 'now'>): ProblemError {
  const hint = isRunId(id) && createdAtOf(id) < clock.now() - leastKeptMs ? ` ${mayBeRemoved(id)}` : '';
  return new ProblemError('not-found', `There is no run ${JSON.stringify(id.slice(0, 80))}.${hint}`);
}

/** Retention removes no run that is younger. */
const leastKeptMs = 3_600_000;

const mayBeRemoved = (id: string): string =>
  `A run of ${instant(createdAtOf(id))} would have been removed by now: GET /v1/retention shows the periods.`;

/** The operation is about nothing of one workflow: its answer is limited by `reachOf`. */
export const allReached = async (): Promise<undefined> => undefined;

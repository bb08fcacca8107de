/**
 * Decides, outside of any transaction, which runs start because of what was seen of others. What one workflow asks for
 * costs the others a second at the most: each expression may compute for a tenth of a second.
 */
import { ProblemError } from '@baton/api';
import { EvaluationError } from '@baton/expressions';
import { type RunTrigger, matchesWorkflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { type BackgroundTask, type Clock, TimedYields, UnavailableError } from '@baton/runner';
import type { EndedRun, SeenRuns, Streaks } from '@baton/store';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';
import type { RunRoom } from '../intake/runQuota.ts';
import type { MadeRequest, RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';
import type { BudgetWatch } from './budgetWatch.ts';

export type DeployedRunTrigger = DeployedTrigger<RunTrigger>;

/** The row of each trigger in which its ends are counted. */
export type TriggerRows = ReadonlyMap<DeployedRunTrigger, string>;

export interface DecisionParts {
  readonly starter: Pick<RunStarter, 'prepare' | 'roomOf'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Before `/runs/ID`. */
  readonly pageUrl: string;
  readonly budgets: BudgetWatch;
  /** What fails for one trigger keeps no other one from starting its run. */
  readonly rounds: Pick<BackgroundTask, 'tryRow'>;
}

/** A trigger that wanted a run and got none. */
interface Refusal {
  readonly trigger: string;
  readonly runId: string;
  readonly reason: string;
}

type MakeRequest = Awaited<ReturnType<RunStarter['prepare']>>;

/** Of the expressions of one workflow's triggers, in one round. */
const computingMs = 1_000;
/** How long a round waits for the check of a workflow's tools; all are checked at once. */
const toolsPatienceMs = 2_000;

export class RunDecisions {
  readonly refusals: Refusal[] = [];
  readonly #parts: DecisionParts;
  readonly #rows: TriggerRows;
  readonly #yields = new TimedYields();
  /** By workflow. */
  readonly #makes = new Map<string, Promise<MakeRequest>>();
  /** By trigger. */
  readonly #rooms = new Map<string, Promise<RunRoom>>();
  readonly #computedMs = new Map<string, number>();
  /** Triggers that were told that their workflow computes for too long. */
  readonly #told = new Set<string>();

  constructor(parts: DecisionParts, rows: TriggerRows) {
    this.#parts = parts;
    this.#rows = rows;
  }

  /** Of one round. Rejects with `UnavailableError`. */
  async startsFor(seen: SeenRuns): Promise<readonly MadeRequest[]> {
    const made: MadeRequest[] = [];
    const wanted = [...this.#rows].filter(([one, row]) => mayStart(one, row, seen));
    // Each answer is awaited again, and its error told, where a run needs it.
    await Promise.allSettled(wanted.map(([one]) => this.#makeOf(one)));
    for (const ended of seen.ends) made.push(...(await this.#startsAtEnd(ended, seen.streaks)));
    for (const [one, row] of this.#rows) made.push(...(await this.#startsInstead(one, row, seen)));
    return made;
  }

  /** All triggers of a workflow share what was looked at for the first. */
  #makeOf({ workflow, version }: DeployedRunTrigger): Promise<MakeRequest> {
    const before = this.#makes.get(workflow);
    if (before !== undefined) return before;
    const principal = triggerPrincipal(`run ${workflow}`, workflow);
    const make = this.#parts.starter.prepare({ workflow, version }, principal, toolsPatienceMs);
    this.#makes.set(workflow, make);
    return make;
  }

  async #startsAtEnd(ended: EndedRun, streaks: Streaks): Promise<MadeRequest[]> {
    const made: MadeRequest[] = [];
    await this.#yields.next();
    for (const [one, row] of this.#rows) {
      const { of, waitsFor } = one.trigger;
      if (waitsFor.kind !== 'end' || !matchesWorkflow([of], ended.workflow)) continue;
      const { statuses, after } = waitsFor;
      const isMeant = statuses.includes(ended.end.status);
      const before = after === 1 ? 0 : streaks.get(row, ended.workflow);
      const isDue = isMeant && before === after - 1;
      const request = isDue ? await this.#requestFor(one, endOf(ended)) : undefined;
      if (request !== undefined) made.push(request);
      if (after === 1) continue;
      const count = countAfter({ isMeant, before, after, isStarted: request !== undefined });
      if (count !== before) streaks.set(row, ended.workflow, count);
    }
    return made;
  }

  /** Of a trigger that does not wait for ends. */
  async #startsInstead(one: DeployedRunTrigger, row: string, seen: SeenRuns): Promise<MadeRequest[]> {
    const made: MadeRequest[] = [];
    for (const { since, questions, ...run } of seen.waits.get(row) ?? []) {
      if (!matchesWorkflow([one.trigger.of], run.workflow)) continue;
      const event = { status: 'waiting', since: new Date(since).toISOString(), questions };
      const request = await this.#requestFor(one, { ...run, event });
      if (request !== undefined) made.push(request);
    }
    for (const run of seen.spending) {
      if (seen.isNoticed(row, run.runId) || !(await this.#parts.budgets.isReached(one, run))) continue;
      const event = { status: run.isOver ? 'ended' : 'running', spent: run.spent };
      const request = await this.#requestFor(one, { ...run, event });
      if (request === undefined) continue;
      seen.notice(row, run.runId);
      made.push(request);
    }
    return made;
  }

  #requestFor(one: DeployedRunTrigger, seen: SeenRun): Promise<MadeRequest | undefined> {
    return this.#parts.rounds.tryRow(`${one.workflow}.${one.trigger.key}`, () => this.#tryRequestFor(one, seen));
  }

  async #tryRequestFor(one: DeployedRunTrigger, seen: SeenRun): Promise<MadeRequest | undefined> {
    const { workflow, trigger } = one;
    const { runId: run } = seen;
    const url = `${this.#parts.pageUrl}/runs/${run}`;
    const event = { run, workflow: seen.workflow, error: null, url, ...seen.event };
    const by = `run ${workflow}.${trigger.key}`;
    await this.#yields.next();
    if (this.#isSpent(workflow)) return this.#refuseSpent(by, run);
    try {
      const inputs = this.#computed(workflow, () =>
        trigger.if === undefined || trigger.if.evaluate({ event }) === true
          ? { values: trigger.inputs.evaluate({ event }) }
          : undefined,
      );
      if (inputs === undefined) return undefined;
      const make = await this.#makeOf(one);
      const room = await this.#roomOf(by);
      const detail = { run, workflow: seen.workflow, status: seen.event.status };
      const principal = triggerPrincipal(by, workflow);
      const start = { inputs: inputs.values, principal, trigger: { kind: 'run', detail } } as const;
      room.check();
      const made = this.#computed(workflow, () => make(start));
      room.take();
      return made;
    } catch (error) {
      if (error instanceof ProblemError && error.status >= 500)
        throw new UnavailableError(error.message, { cause: error });
      if (!(error instanceof ProblemError) && !(error instanceof EvaluationError)) throw error;
      this.refusals.push({ trigger: by, runId: run, reason: error.message });
      return undefined;
    }
  }

  #roomOf(by: string): Promise<RunRoom> {
    const room = this.#rooms.get(by) ?? this.#parts.starter.roomOf(by);
    this.#rooms.set(by, room);
    return room;
  }

  #computed<Value>(workflow: string, compute: () => Value): Value {
    const { clock } = this.#parts;
    const begun = clock.monotonic();
    try {
      return compute();
    } finally {
      this.#computedMs.set(workflow, (this.#computedMs.get(workflow) ?? 0) + clock.monotonic() - begun);
    }
  }

  #isSpent(workflow: string): boolean {
    return (this.#computedMs.get(workflow) ?? 0) > computingMs;
  }

  #refuseSpent(trigger: string, runId: string): undefined {
    if (this.#told.has(trigger)) return;
    this.#told.add(trigger);
    const reason =
      'the `if` and `inputs` of the triggers of this workflow computed for more than a second in one round; for the rest of the round its triggers start no run';
    this.refusals.push({ trigger, runId, reason });
  }
}

/** Whether anything was seen that the trigger is about; its number of ends and its expressions may still say no. */
function mayStart({ trigger }: DeployedRunTrigger, row: string, { ends, waits, spending }: SeenRuns): boolean {
  const { of, waitsFor } = trigger;
  const isOf = ({ workflow }: { readonly workflow: string }): boolean => matchesWorkflow([of], workflow);
  switch (waitsFor.kind) {
    case 'end':
      return ends.some((ended) => waitsFor.statuses.includes(ended.end.status) && isOf(ended));
    case 'wait':
      return waits.has(row);
    case 'spending':
      return spending.some(isOf);
  }
}

/** A run that starts another one. `event`: what is particular about it. */
interface SeenRun {
  readonly runId: string;
  readonly workflow: string;
  readonly event: JsonObject & { readonly status: string };
}

function endOf({ runId, workflow, end }: EndedRun): SeenRun {
  const { status } = end;
  const error = 'failure' in end ? { code: end.failure.code, message: end.failure.message } : null;
  return { runId, workflow, event: { status, error } };
}

interface CountedEnd {
  readonly isMeant: boolean;
  readonly before: number;
  readonly after: number;
  readonly isStarted: boolean;
}

/** The whole number once the row has started a run; until then one end is missing, so the next one that can starts it. */
function countAfter({ isMeant, before, after, isStarted }: CountedEnd): number {
  if (!isMeant) return 0;
  return isStarted ? after : Math.max(before, Math.min(before + 1, after - 1));
}

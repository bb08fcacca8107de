/** Starts runs for the ends of others, as `on: run` says. Every orchestrator follows; each end is read once. */
import { ProblemError } from '@baton/api';
import { EvaluationError } from '@baton/expressions';
import { type RunTrigger, matchesWorkflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { type Clock, type TaskTrouble, BackgroundTask, UnavailableError } from '@baton/runner';
import { type EndedRun, type Store, type Streaks, followRuns, forgetRunEnds } from '@baton/store';

import type { DeployedTrigger, DeployedTriggers } from '../deploy/deployedTriggers.ts';
import type { MadeRequest, RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';

export interface RunFollowerOptions {
  readonly store: Store;
  readonly deployed: DeployedTriggers;
  readonly starter: Pick<RunStarter, 'prepare' | 'prepared'>;
  readonly clock: Clock;
  /** Before `/runs/ID`. */
  readonly pageUrl: string;
  /** Called where an end starts no run although its trigger wanted it. */
  readonly onRefused: (trigger: string, runId: string, reason: string) => void;
  readonly onTrouble: TaskTrouble;
}

type DeployedRunTrigger = DeployedTrigger<RunTrigger>;

const everyMs = 2_000;
/** Begins what started a run by the end of another, and all runs below it. */
const scope = 'run ';

export class RunFollower {
  readonly #options: RunFollowerOptions;
  readonly #rounds: BackgroundTask;
  /** Nothing is remembered of ends that no trigger waited for. */
  #isIdle = false;

  constructor(options: RunFollowerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'ends of runs', clock, run: () => this.tick(), onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Starts the runs for the ends so far. Rejects with `UnavailableError`. */
  async tick(): Promise<number> {
    const { store, deployed } = this.#options;
    await store.history.look();
    const fence = store.history.warning();
    if (fence !== undefined) throw new UnavailableError(fence);
    const triggers = await deployed.of('run');
    if (triggers.length === 0) {
      if (!this.#isIdle) await forgetRunEnds(store);
      this.#isIdle = true;
      return everyMs;
    }
    this.#isIdle = false;
    for (let isMore = true; isMore && !this.#rounds.isClosed;) {
      const made: MadeRequest[] = [];
      const followed = await followRuns(store, async (ends, streaks) => {
        for (const one of ends) made.push(...(await this.#startsFor(triggers, one, streaks)));
        return made;
      });
      for (const request of made) this.#tell(request, followed?.outcomes.get(request.runId)?.kind === 'created');
      isMore = followed?.isMore === true;
    }
    return everyMs;
  }

  #tell(request: MadeRequest, isStarted: boolean): void {
    if (isStarted) return this.#options.starter.prepared(request);
    const { by, trigger } = request.event;
    const ended = trigger.detail?.['run'];
    const which = typeof ended === 'string' ? ended : '';
    this.#options.onRefused(by, which, 'the concurrency limit of the workflow is reached');
  }

  /** What was started so starts none of the same kind, and neither do its child runs: they have its `by`. */
  async #startsFor(all: readonly DeployedRunTrigger[], ended: EndedRun, streaks: Streaks): Promise<MadeRequest[]> {
    if (ended.by.startsWith(scope)) return [];
    const made: MadeRequest[] = [];
    for (const one of all) {
      if (!matchesWorkflow([one.trigger.of], ended.workflow) || !isDue(one, ended, streaks)) continue;
      const request = await this.#requestFor(one, ended);
      if (request !== undefined) made.push(request);
    }
    return made;
  }

  async #requestFor(one: DeployedRunTrigger, ended: EndedRun): Promise<MadeRequest | undefined> {
    const { starter, onRefused } = this.#options;
    const { workflow, version, trigger } = one;
    const event = this.#eventOf(ended);
    const by = `${scope}${nameOf(one)}`;
    try {
      if (trigger.if !== undefined && trigger.if.evaluate({ event }) !== true) return undefined;
      const inputs = trigger.inputs.evaluate({ event });
      const make = await starter.prepare({ workflow, version }, triggerPrincipal(by, workflow));
      const detail = { run: ended.runId, workflow: ended.workflow, status: ended.end.status };
      return make({ inputs, trigger: { kind: 'run', detail } });
    } catch (error) {
      if (error instanceof ProblemError && error.status >= 500)
        throw new UnavailableError(error.message, { cause: error });
      if (!(error instanceof ProblemError) && !(error instanceof EvaluationError)) throw error;
      onRefused(by, ended.runId, error.message);
      return undefined;
    }
  }

  #eventOf({ runId: run, workflow, end }: EndedRun): JsonObject {
    const { status } = end;
    const error = 'failure' in end ? { code: end.failure.code, message: end.failure.message } : null;
    return { run, workflow, status, error, url: `${this.#options.pageUrl}/runs/${run}` };
  }
}

const nameOf = ({ workflow, trigger }: DeployedRunTrigger): string => `${workflow}.${trigger.key}`;

/** With `after: 3`, the third in a row of a workflow, and none after it until the row is broken. */
function isDue(one: DeployedRunTrigger, { workflow, end }: EndedRun, streaks: Streaks): boolean {
  const { statuses, after } = one.trigger;
  const isMeant = statuses.includes(end.status);
  if (after === 1) return isMeant;
  const before = streaks.get(nameOf(one), workflow);
  const count = isMeant ? before + 1 : 0;
  if (count !== before) streaks.set(nameOf(one), workflow, count);
  return count === after;
}

/** Which runs have spent so much of the budget of their workflow that a trigger starts a run. */
import { type RunTrigger, matchesWorkflow } from '@baton/language';
import type { Plans } from '@baton/runner';
import type { SpendingRun } from '@baton/store';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';

type DeployedRunTrigger = DeployedTrigger<RunTrigger>;

export class BudgetWatch {
  readonly #plans: Plans;
  readonly #patterns: readonly string[];

  constructor({ plans }: { readonly plans: Plans }, triggers: readonly DeployedRunTrigger[]) {
    this.#plans = plans;
    this.#patterns = triggers.flatMap(({ trigger }) => (shareOf(trigger) === undefined ? [] : [trigger.of]));
  }

  /** Whether any trigger is about the runs of such a workflow; undefined: none is about budgets. */
  get wants(): ((run: Pick<SpendingRun, 'workflow' | 'definition'>) => Promise<boolean>) | undefined {
    if (this.#patterns.length === 0) return undefined;
    return async ({ workflow, definition }) =>
      matchesWorkflow(this.#patterns, workflow) && (await this.#plans(definition)).budget !== undefined;
  }

  /** Of one part of the budget: money, tokens or calls. Rejects with `UnavailableError`. */
  async isReached({ trigger }: DeployedRunTrigger, { workflow, definition, spent }: SpendingRun): Promise<boolean> {
    const share = shareOf(trigger);
    if (share === undefined || !matchesWorkflow([trigger.of], workflow)) return false;
    const { budget = {} } = await this.#plans(definition);
    return (['usd', 'tokens', 'toolCalls'] as const).some((part) => {
      const most = budget[part];
      return most !== undefined && spent[part] >= share * most;
    });
  }
}

const shareOf = ({ waitsFor }: RunTrigger): number | undefined =>
  waitsFor.kind === 'spending' ? waitsFor.budgetShare : undefined;

/** Budgets over time, of all runs of some workflows (docs/budgets.md). */
import type { ChargedCall, Failure, Path } from '@baton/engine';

export interface CallBudgets {
  /**
   * Those of the calls that must not begin, by the paths of their steps. Costs no read where no budget holds for the
   * workflow. Rejects with `UnavailableError`.
   */
  refused(workflow: string, calls: readonly ChargedCall[]): Promise<ReadonlyMap<Path, Failure>>;
  /** Before a child run of the workflow is made: a sentence where a budget is spent. Rejects with `UnavailableError`. */
  refusedChild(workflow: string): Promise<string | undefined>;
}

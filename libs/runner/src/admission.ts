/** Before the first step of a run: whether the tools that its version relies on are still those that it was checked against. */
import type { Failure, Run, RunEvent } from '@baton/engine';

/** Why no new run of the definition is to begin; undefined: nothing is known against it. Rejects with `UnavailableError`. */
export type RunAdmission = (definition: string) => Promise<Failure | undefined>;

/** What follows the first claim of a run that is not to begin: nothing, for one that is, or has begun. */
export async function refusal(admit: RunAdmission | undefined, run: Run, at: number): Promise<readonly RunEvent[]> {
  if (admit === undefined || run.claim > 0) return [];
  const failure = await admit(run.definition);
  return failure === undefined ? [] : [{ type: 'run.stopped', at, failure }];
}

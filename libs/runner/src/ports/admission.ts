/**
 * Checks, before the first step of a run, that its tools still match the definitions that its version was checked against.
 */
import type { Failure, Run, RunEvent } from '@baton/engine';

/** Returns why no new run of this definition may begin; undefined: it may. Rejects with `UnavailableError`. */
export type RunAdmission = (definition: string) => Promise<Failure | undefined>;

/**
 * Returns the events that end a refused run right after its first claim; none for a run that may begin, or has begun.
 */
export async function refusal(admit: RunAdmission | undefined, run: Run, at: number): Promise<readonly RunEvent[]> {
  if (admit === undefined || run.claim > 0) return [];
  const failure = await admit(run.definition);
  return failure === undefined ? [] : [{ type: 'run.stopped', at, failure }];
}

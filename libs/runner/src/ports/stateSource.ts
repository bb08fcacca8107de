/** What a workflow remembers between its runs, as a run reads it with its first claim. */
import { type Run, type RunEvent, type StoredState, readsState, stateAtStart } from '@baton/engine';
import type { Plan } from '@baton/language';

/** Whose state it is: of a deployed workflow, or of the texts of that name that come with their runs. */
export interface StateOwner {
  readonly workflow: string;
  readonly isInline: boolean;
}

export interface StateSource {
  /** Rejects with `UnavailableError`. */
  read(owner: StateOwner): Promise<StoredState>;
}

export const stateOwner = ({ workflow, version }: Pick<Run, 'workflow' | 'version'>): StateOwner => ({
  workflow,
  isInline: version === undefined,
});

const nothing: StoredState = new Map();

/** The events that follow the first claim; none for a workflow without state, or a run that has begun. */
export async function stateEvents(source: StateSource, plan: Plan, run: Run, at: number): Promise<readonly RunEvent[]> {
  if (!readsState(plan, run)) return [];
  const stored = run.state === undefined ? await source.read(stateOwner(run)) : nothing;
  return stateAtStart(plan, run, stored, at);
}

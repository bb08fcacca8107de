/** Of many runs to retry: finds the run whose retry goes on from a child run, so that this is not retried twice. */
import type { EventOf, Parent, RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';

interface ParentRun {
  readonly parent: Parent | undefined;
  readonly isUnsuccessful: boolean;
  /** Paths of the steps that waited for a child run. */
  readonly awaiting: ReadonlySet<string>;
}

/**
 * `chosen`: ids of all runs to retry. The answer is the id of one of them that is above the run with this parent, and
 * goes on from it. Rejects with `UnavailableError`.
 */
export function goneOnWith(
  journal: Pick<Journal, 'open'>,
  chosen: ReadonlySet<string>,
): (parent: Parent | undefined) => Promise<string | undefined> {
  const parents = new Map<string, Promise<ParentRun | undefined>>();
  const read = (runId: string): Promise<ParentRun | undefined> => {
    const known = parents.get(runId) ?? readParent(journal, runId);
    parents.set(runId, known);
    return known;
  };
  return async (parent) => {
    for (let at = parent; at !== undefined;) {
      const run: ParentRun | undefined = await read(at.runId);
      // A step that did not wait, or whose failure was handled, keeps its child run as it is.
      if (run === undefined || !run.isUnsuccessful || !run.awaiting.has(at.path)) return undefined;
      if (chosen.has(at.runId)) return at.runId;
      at = run.parent;
    }
    return undefined;
  };
}

async function readParent(journal: Pick<Journal, 'open'>, runId: string): Promise<ParentRun | undefined> {
  const { events = [] } = (await journal.open(runId)) ?? {};
  const [first] = events;
  if (first?.type !== 'run.requested') return undefined;
  const last = events.at(-1);
  const awaiting = events.flatMap((event) => (isAwaiting(event) ? [event.path] : []));
  const isUnsuccessful = last?.type === 'run.finished' && last.status !== 'succeeded';
  return { parent: first.parent, isUnsuccessful, awaiting: new Set(awaiting) };
}

const isAwaiting = (event: RunEvent): event is EventOf<'step.waiting'> =>
  event.type === 'step.waiting' && event.awaiting.for === 'child' && event.awaiting.detached !== true;

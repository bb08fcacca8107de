/** Finds the runs above a child run whose retry goes on from it, so that its calls are not made twice. */
import type { EventOf, Parent, RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';

interface ParentRun {
  readonly workflow: string;
  readonly parent: Parent | undefined;
  readonly isUnsuccessful: boolean;
  /** Paths of the steps that waited for a child run. */
  readonly awaiting: ReadonlySet<string>;
}

type ReadParent = (runId: string) => Promise<ParentRun | undefined>;

/**
 * Of many runs to retry. `chosen`: ids of all of them. The answer is the id of one of them that is above the run with this
 * parent, and goes on from it. Rejects with `UnavailableError`.
 */
export function goneOnWith(
  journal: Pick<Journal, 'open'>,
  chosen: ReadonlySet<string>,
): (parent: Parent | undefined) => Promise<string | undefined> {
  const parents = new Map<string, Promise<ParentRun | undefined>>();
  const read: ReadParent = (runId) => {
    const known = parents.get(runId) ?? readParent(journal, runId);
    parents.set(runId, known);
    return known;
  };
  return async (parent) => {
    for await (const { runId } of runsAbove(read, parent)) if (chosen.has(runId)) return runId;
    return undefined;
  };
}

/** The outermost run above the run with this parent whose retry goes on from it. Rejects with `UnavailableError`. */
export async function outermostRetry(
  journal: Pick<Journal, 'open'>,
  parent: Parent | undefined,
  maySee: (workflow: string) => boolean,
): Promise<string | undefined> {
  let outermost: string | undefined;
  for await (const { runId, workflow } of runsAbove((id) => readParent(journal, id), parent))
    if (maySee(workflow)) outermost = runId;
  return outermost;
}

/** From the nearest to the outermost. */
async function* runsAbove(
  read: ReadParent,
  parent: Parent | undefined,
): AsyncGenerator<{ readonly runId: string; readonly workflow: string }> {
  for (let at = parent; at !== undefined;) {
    const run: ParentRun | undefined = await read(at.runId);
    // A step that did not wait, or whose failure was handled, keeps its child run as it is.
    if (run === undefined || !run.isUnsuccessful || !run.awaiting.has(at.path)) return;
    yield { runId: at.runId, workflow: run.workflow };
    at = run.parent;
  }
}

async function readParent(journal: Pick<Journal, 'open'>, runId: string): Promise<ParentRun | undefined> {
  const { events = [] } = (await journal.open(runId)) ?? {};
  const [first] = events;
  if (first?.type !== 'run.requested') return undefined;
  const last = events.at(-1);
  const awaiting = events.flatMap((event) => (isAwaiting(event) ? [event.path] : []));
  const isUnsuccessful = last?.type === 'run.finished' && last.status !== 'succeeded';
  return { workflow: first.workflow, parent: first.parent, isUnsuccessful, awaiting: new Set(awaiting) };
}

const isAwaiting = (event: RunEvent): event is EventOf<'step.waiting'> =>
  event.type === 'step.waiting' && event.awaiting.for === 'child' && event.awaiting.detached !== true;

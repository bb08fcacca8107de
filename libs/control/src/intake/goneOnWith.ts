/** Finds the runs above a child run whose retry goes on from it, so that its calls are not made twice. */
import type { EventOf, Parent, RunEvent } from '@baton/engine';
import type { Journal } from '@baton/runner';

interface ParentRun {
  readonly workflow: string;
  readonly version: number | undefined;
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
  const read = parentReader(journal);
  return async (parent) => {
    for await (const { runId } of runsAbove(read, parent)) if (chosen.has(runId)) return runId;
    return undefined;
  };
}

/** A run whose retry goes on from a run below it. */
export interface RetryAbove {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | undefined;
  /** Before the paths of the calls of the run below: `order>item>`. */
  readonly prefix: string;
}

/**
 * Of many runs: the outermost run above the run with this parent whose retry goes on from it. Rejects with
 * `UnavailableError`.
 */
export function outermostRetry(
  journal: Pick<Journal, 'open'>,
  maySee: (workflow: string) => boolean,
): (parent: Parent | undefined) => Promise<RetryAbove | undefined> {
  const read = parentReader(journal);
  return async (parent) => {
    let outermost: RetryAbove | undefined;
    for await (const above of runsAbove(read, parent)) if (maySee(above.workflow)) outermost = above;
    return outermost;
  };
}

/** From the nearest to the outermost. */
async function* runsAbove(read: ReadParent, parent: Parent | undefined): AsyncGenerator<RetryAbove> {
  let prefix = '';
  for (let at = parent; at !== undefined;) {
    const { runId, path }: Parent = at;
    const run: ParentRun | undefined = await read(runId);
    // A step that did not wait, or whose failure was handled, keeps its child run as it is.
    if (run === undefined || !run.isUnsuccessful || !run.awaiting.has(path)) return;
    prefix = `${path}>${prefix}`;
    yield { runId, workflow: run.workflow, version: run.version, prefix };
    at = run.parent;
  }
}

/** Reads each run once. */
function parentReader(journal: Pick<Journal, 'open'>): ReadParent {
  const parents = new Map<string, Promise<ParentRun | undefined>>();
  return (runId) => {
    const known = parents.get(runId) ?? readParent(journal, runId);
    parents.set(runId, known);
    return known;
  };
}

async function readParent(journal: Pick<Journal, 'open'>, runId: string): Promise<ParentRun | undefined> {
  const { events = [] } = (await journal.open(runId)) ?? {};
  const [first] = events;
  if (first?.type !== 'run.requested') return undefined;
  const last = events.at(-1);
  const awaiting = events.flatMap((event) => (isAwaiting(event) ? [event.path] : []));
  const isUnsuccessful = last?.type === 'run.finished' && last.status !== 'succeeded';
  const { workflow, version, parent } = first;
  return { workflow, version, parent, isUnsuccessful, awaiting: new Set(awaiting) };
}

const isAwaiting = (event: RunEvent): event is EventOf<'step.waiting'> =>
  event.type === 'step.waiting' && event.awaiting.for === 'child' && event.awaiting.detached !== true;

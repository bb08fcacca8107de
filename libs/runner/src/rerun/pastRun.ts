/** A finished run from which another goes on, with the ids of its child runs. */
import {
  type ChildIds,
  type EventOf,
  type Intents,
  type Path,
  type RunEvent,
  intentsOf,
  invariant,
} from '@baton/engine';

import { checkForgery } from '../record/forgedJournal.ts';
import type { ValueSources } from '../values/withLoadedValues.ts';

export interface PastRuns extends ValueSources {
  /** The last child run that each step of the run has requested. Rejects with `UnavailableError`. */
  readonly childIds: (runId: string) => Promise<ChildIds>;
}

export interface PastRun {
  readonly id: string;
  readonly events: readonly RunEvent[];
  /** Child runs that this run requested itself. */
  readonly ownChildren: ChildIds;
  /**
   * Child runs from which those of a rerun can go on: its own, those whose outcomes it kept, and those that it was to go
   * on from and did not get to.
   */
  readonly children: ChildIds;
}

/** Undefined if it is not kept any more. Rejects with `ForgedJournalError` and `UnavailableError`. */
export async function pastRun(runs: PastRuns, id: string): Promise<PastRun | undefined> {
  const opened = await runs.journal.open(id);
  if (opened === undefined) return undefined;
  checkForgery(id, opened);
  return withChildren(runs, id, opened.events);
}

/** Rejects as `pastRun`. */
export async function withChildren(runs: PastRuns, id: string, events: readonly RunEvent[]): Promise<PastRun> {
  const isParent = events.some((event) => event.type === 'step.waiting' && event.awaiting.for === 'child');
  const ownChildren = isParent ? await runs.childIds(id) : noChildren;
  const kept = await keptChildren(runs, events);
  return { id, events, ownChildren, children: new Map([...kept, ...ownChildren]) };
}

const noChildren: ChildIds = new Map();

async function keptChildren(runs: PastRuns, events: readonly RunEvent[]): Promise<ChildIds> {
  const children = new Map<Path, string>();
  const failed: Path[] = [];
  for (const event of events) {
    if (event.type === 'child.kept') children.set(event.step, event.runId);
    if (event.type !== 'step.succeeded' && event.type !== 'step.failed') continue;
    if (event.kept === undefined || event.verb !== 'workflow') continue;
    if (event.type === 'step.failed') failed.push(event.path);
    else if (event.by !== undefined) children.set(event.path, event.by);
  }
  // A failure does not name the child run.
  const rerunOf = goesOnFrom(events);
  const before = failed.length === 0 || rerunOf === undefined ? undefined : await pastRun(runs, rerunOf);
  for (const path of failed) {
    const runId = before?.children.get(path);
    if (runId !== undefined) children.set(path, runId);
  }
  return children;
}

/** The calls of the runs that the run goes on from, however far back; empty where it kept no outcome. Rejects as `pastRun`. */
export async function intentsBefore(runs: PastRuns, events: readonly RunEvent[]): Promise<Intents> {
  const rerunOf = events.some((event) => 'kept' in event) ? goesOnFrom(events) : undefined;
  const before = rerunOf === undefined ? undefined : await pastRun(runs, rerunOf);
  return before === undefined ? noIntents : intentsOf(before.events, await intentsBefore(runs, before.events));
}

const noIntents: Intents = new Map();

/** The run that the run goes on from; one that undoes another makes calls of its own. */
export function goesOnFrom(events: readonly RunEvent[]): string | undefined {
  const { rerunOf, trigger } = firstOf(events);
  return trigger.kind === 'undo' ? undefined : rerunOf;
}

export function firstOf([first]: readonly RunEvent[]): EventOf<'run.requested'> {
  invariant(first?.type === 'run.requested', 'a journal begins with run.requested');
  return first;
}

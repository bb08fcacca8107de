/**
 * Folds one event into a run. Pure, and the only way a run changes: the worker, the API, the page and the CLI all fold
 * with this function (invariant I4).
 *
 * Copies only the objects along the event's path, so an event's cost does not grow with the size of the run.
 */
import { invariant } from '../invariant.ts';
import type { EventOf, RunEnd, RunEvent } from './event.ts';
import { evolveStep } from './evolveStep.ts';
import {
  type BegunRun,
  type EndedRun,
  type QueuedRun,
  type Rewind,
  type Run,
  type RunningRun,
  type UnfinishedRun,
  type WaitingRun,
  assertMove,
  isEnded,
} from './run.ts';
import { evolveSession, sessionOf } from './session.ts';
import { nothingSpent } from './spending.ts';
import { pauseEnd } from './toolsReadSince.ts';

/** Folds the first event of a journal. */
export function begin(id: string, event: RunEvent): QueuedRun {
  invariant(event.type === 'run.requested', `a journal begins with run.requested, not with ${event.type}`);
  return {
    id,
    seq: 1,
    at: event.at,
    status: 'queued',
    workflow: event.workflow,
    version: event.version,
    definition: event.definition,
    inputs: event.inputs,
    trigger: event.trigger,
    by: event.by,
    via: event.via,
    person: event.person,
    tags: event.tags ?? [],
    priority: event.priority ?? 0,
    parent: event.parent,
    part: event.part,
    session: sessionOf(event),
    rerunOf: event.rerunOf,
    state: undefined,
    keptChildren: undefined,
    depth: event.depth ?? 0,
    notBefore: event.notBefore,
    createdAt: event.at,
    claim: 0,
    toolsReadSince: pauseEnd(event),
    rewind: event.lost && { ...event.lost, seq: 1, calls: 0, isOfAnotherRun: true },
    frames: new Map(),
    questions: 0,
    spent: nothingSpent,
    budget: event.budget,
    limits: event.limits,
    itemCount: 0,
    writes: { count: 0, paths: [], kept: undefined },
    undoable: undefined,
    cancel: undefined,
    signals: [],
  };
}

/** Folds a whole journal. */
export function replay(id: string, events: readonly RunEvent[]): Run {
  const [first, ...rest] = events;
  invariant(first !== undefined, 'a journal is never empty');
  return rest.reduce<Run>(evolve, begin(id, first));
}

export function evolve(run: Run, event: RunEvent): Run {
  invariant(!isEnded(run), `a ${run.status} run has no further events (${event.type})`);
  const after = apply(run, event);
  const session = evolveSession(run.session, event);
  const seq = run.seq + 1;
  const at = Math.max(run.at, event.at);
  const toolsReadSince = pauseEnd(event) ?? run.toolsReadSince;
  // Events for a waiting run come from outside: it wakes up at once, even where the bell is lost. A delivery changes
  // nothing that `decide` reads.
  if (run.status === 'waiting' && after.status === 'waiting' && event.type !== 'call.delivered')
    return { ...after, session, seq, at, toolsReadSince, wakeAt: Math.min(after.wakeAt ?? event.at, event.at) };
  return { ...after, session, seq, at, toolsReadSince };
}

function apply(run: UnfinishedRun, event: RunEvent): Run {
  switch (event.type) {
    case 'run.requested':
      invariant(false, 'a run is requested once');
      return run;
    case 'run.claimed':
      return claimed(run, event);
    case 'state.read':
      return { ...run, state: stateIn(event) };
    case 'run.waiting':
      return released(run, event);
    case 'run.cancelRequested':
      return run.cancel === undefined ? { ...run, cancel: cancelOf(event) } : run;
    case 'run.stopped':
      return { ...begun(run, event), stopped: begun(run, event).stopped ?? event.failure };
    case 'run.rewound':
      return { ...run, rewind: rewound(run, event) };
    case 'run.ending':
      return { ...begun(run, event), ending: endingOf(event) };
    case 'run.finished':
      return finished(run, event);
    case 'signal.received': {
      const { name, payload, by, at } = event;
      return { ...run, signals: [...run.signals, { seq: run.seq + 1, name, payload, by, at }] };
    }
    case 'child.kept':
      return { ...run, keptChildren: { ...keptChildIn(event), before: run.keptChildren } };
    case 'step.progressed':
    case 'call.requested':
    case 'call.delivered':
    case 'session.closed':
      return run;
    case 'step.undone':
      invariant(run.undoable?.path === event.path, `${event.path} is not the next step to undo`);
      return { ...run, undoable: run.undoable.before };
    default:
      return evolveStep(run, event);
  }
}

const stateIn = ({ values, revisions, writers }: EventOf<'state.read'>) => ({
  values,
  revisions,
  ...(writers !== undefined && { writers }),
});

const cancelOf = ({ by, reason, at, cause }: EventOf<'run.cancelRequested'>) => ({ by, reason, at, cause });

const keptChildIn = ({ step, runId, asksAgain, told }: EventOf<'child.kept'>) => ({
  step,
  child: { runId, ...(asksAgain && { asksAgain }), ...(told && { told }) },
});

function claimed(run: UnfinishedRun, { at, worker, claim }: EventOf<'run.claimed'>): RunningRun {
  invariant(claim === run.claim + 1, `claim ${claim} follows claim ${run.claim}`);
  if (run.status === 'running') return { ...run, worker, claim, takeoversInARow: run.takeoversInARow + 1 };
  assertMove(run, 'running');
  const owned = { status: 'running', worker, claim, takeoversInARow: 0 } as const;
  if (run.status === 'queued') return { ...run, ...owned, startedAt: at, stopped: undefined, ending: undefined };
  const { wakeAt: _, ...fields } = run;
  return { ...fields, ...owned };
}

function released(run: UnfinishedRun, { wakeAt }: EventOf<'run.waiting'>): WaitingRun {
  assertMove(run, 'waiting');
  const { takeoversInARow: _, ...fields } = run;
  return { ...fields, status: 'waiting', wakeAt };
}

const rewound = (run: UnfinishedRun, { from, to }: EventOf<'run.rewound'>): Rewind => ({
  from,
  to,
  seq: run.seq + 1,
  calls: run.session?.calls.length ?? 0,
  isOfAnotherRun: run.rewind?.isOfAnotherRun ?? false,
});

function begun(run: UnfinishedRun, { type }: RunEvent): BegunRun {
  invariant(run.status !== 'queued', `a run that was never claimed has no ${type}`);
  return run;
}

const endingOf = (event: EventOf<'run.ending'>): RunEnd =>
  event.status === 'succeeded' ? { status: event.status } : { status: event.status, failure: event.failure };

function finished(run: UnfinishedRun, event: EventOf<'run.finished'>): EndedRun {
  assertMove(run, event.status);
  const fields = { ...lastingFields(run), endedAt: event.at };
  if (event.status === 'succeeded') return { ...fields, status: event.status, outputs: event.outputs };
  const { failure } = event;
  if (event.status === 'failed') return { ...fields, status: event.status, failure };
  return { ...fields, status: event.status, failure, cancelledBy: run.cancel?.by };
}

/** The fields that a run keeps after its end. */
function lastingFields(run: QueuedRun | RunningRun): Omit<EndedRun, 'status' | 'endedAt' | 'outputs' | 'failure'> {
  if (run.status === 'queued') {
    const { status: _status, cancel: _cancel, signals: _signals, ...lasting } = run;
    return { ...lasting, execution: undefined };
  }
  const { startedAt, worker, takeoversInARow: _takeovers, stopped: _stopped, ending: _ending, ...rest } = run;
  const { status: _status, cancel: _cancel, signals: _signals, ...lasting } = rest;
  return { ...lasting, execution: { startedAt, worker } };
}

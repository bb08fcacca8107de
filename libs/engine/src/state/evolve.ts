/**
 * Folds one event into a run. Pure and total over the journal; a run changes in no other way: the worker, the API and
 * the CLI all fold with this function (invariant I4).
 *
 * Only what an event changes is copied: one event costs the depth of its path, not the size of the run.
 */
import { invariant } from '../invariant.ts';
import { evolveSession, sessionOf } from '../session/session.ts';
import type { EventOf, RunEvent } from './event.ts';
import { evolveStep } from './evolveStep.ts';
import type { Run, RunStatus } from './run.ts';
import { runMoves } from './run.ts';
import { nothingSpent } from './spent.ts';

/** Folds the first event of a journal. */
export function begin(id: string, event: RunEvent): Run {
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
    tags: event.tags ?? [],
    priority: event.priority ?? 0,
    parent: event.parent,
    part: event.part,
    session: sessionOf(event),
    rerunOf: event.rerunOf,
    depth: event.depth ?? 0,
    notBefore: event.notBefore,
    createdAt: event.at,
    startedAt: undefined,
    endedAt: undefined,
    wakeAt: event.notBefore,
    worker: undefined,
    claim: 0,
    takeoversInARow: 0,
    cancel: undefined,
    stopped: undefined,
    ending: undefined,
    frames: new Map(),
    signals: [],
    questions: 0,
    spent: nothingSpent,
    budget: event.budget,
    limits: event.limits,
    itemCount: 0,
    undoable: undefined,
    outputs: undefined,
    failure: undefined,
  };
}

/** Folds a whole journal. */
export function replay(id: string, events: readonly RunEvent[]): Run {
  const [first, ...rest] = events;
  invariant(first !== undefined, 'a journal is never empty');
  return rest.reduce(evolve, begin(id, first));
}

export function evolve(run: Run, event: RunEvent): Run {
  invariant(runMoves[run.status].length > 0, `a ${run.status} run has no further events (${event.type})`);
  const after = apply(run, event);
  const session = evolveSession(run.session, event);
  return { ...after, session, wakeAt: wakeAfter(run, after, event), seq: run.seq + 1, at: Math.max(run.at, event.at) };
}

/** Events for a waiting run come from outside: it wakes up at once, even where the bell is lost. */
function wakeAfter(before: Run, after: Run, event: RunEvent): number | undefined {
  if (before.status !== 'waiting' || after.status !== 'waiting') return after.wakeAt;
  // Nothing follows from it.
  if (event.type === 'call.delivered') return after.wakeAt;
  return Math.min(after.wakeAt ?? event.at, event.at);
}

function apply(run: Run, event: RunEvent): Run {
  switch (event.type) {
    case 'run.requested':
      invariant(false, 'a run is requested once');
      return run;
    case 'run.claimed':
      return claimed(run, event);
    case 'run.waiting':
      return { ...run, status: move(run, 'waiting'), wakeAt: event.wakeAt, takeoversInARow: 0 };
    case 'run.cancelRequested':
      return run.cancel === undefined ? { ...run, cancel: { by: event.by, reason: event.reason, at: event.at } } : run;
    case 'run.stopped':
      return { ...run, stopped: run.stopped ?? event.failure };
    case 'run.ending':
      return { ...run, ending: { status: event.status, failure: event.failure } };
    case 'run.finished':
      return {
        ...run,
        status: move(run, event.status),
        endedAt: event.at,
        wakeAt: undefined,
        outputs: event.outputs,
        failure: event.failure,
      };
    case 'signal.received': {
      const { name, payload, by, at } = event;
      return { ...run, signals: [...run.signals, { seq: run.seq + 1, name, payload, by, at }] };
    }
    case 'step.progressed':
    case 'call.requested':
    case 'call.delivered':
    case 'session.closed':
      return run;
    case 'step.undone':
      invariant(run.undoable?.path === event.path, `${event.path} is not what is to be taken back next`);
      return { ...run, undoable: run.undoable.before };
    default:
      return evolveStep(run, event);
  }
}

function claimed(run: Run, event: EventOf<'run.claimed'>): Run {
  invariant(event.claim === run.claim + 1, `claim ${event.claim} follows claim ${run.claim}`);
  return {
    ...run,
    status: run.status === 'running' ? 'running' : move(run, 'running'),
    takeoversInARow: run.status === 'running' ? run.takeoversInARow + 1 : 0,
    startedAt: run.startedAt ?? event.at,
    worker: event.worker,
    claim: event.claim,
    wakeAt: undefined,
  };
}

function move(run: Run, to: RunStatus): RunStatus {
  const allowed: readonly RunStatus[] = runMoves[run.status];
  invariant(allowed.includes(to), `a run cannot go from ${run.status} to ${to}`);
  return to;
}

/** Operations of runs. */
import { type Received, type RunFilterQuery, instant, ProblemError, routes } from '@baton/api';
import { type Run, type RunEvent, replay, Trace } from '@baton/engine';
import { matchesWorkflow } from '@baton/language';
import { seenRun } from '@baton/learn';
import { type Json, defined } from '@baton/primitives';
import {
  type FeedPosition,
  type Store,
  feedEnd,
  isAhead,
  isRunId,
  listRuns as readRuns,
  runHistogram,
  usesBlob,
} from '@baton/store';

import type { LearnOrder, WorkflowLearner } from '../authoring/learning.ts';
import { type DeployedWorkflowParts, deployedWorkflowsFor } from '../deploy/deployedWorkflows.ts';
import { cancelRun as requestCancel } from '../intake/cancel.ts';
import { type Rerun, type RerunOptions, rerun } from '../intake/rerun.ts';
import type { RerunOrder } from '../intake/rerunOrder.ts';
import type { RunAppender } from '../intake/runAppender.ts';
import { checkSignalName, signalRun as sendSignal } from '../intake/signal.ts';
import type { RunOrder, RunStarter, StartedRun, StartOptions } from '../intake/starter.ts';
import { type Undo, type UndoOptions, undo } from '../intake/undo/undo.ts';
import { checkEffectsOf, checkEndingEffectsOf } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import { seesValues } from '../keys/narrowing.ts';
import type { Principal } from '../keys/scopes.ts';
import type { Feed } from '../live/feed.ts';
import type { FoldedRun, FoldedRuns } from '../shapes/foldedRuns.ts';
import { eventWithoutValues, summaryWithoutValues } from '../shapes/hiddenValues.ts';
import { runFilterOf } from '../shapes/runFilter.ts';
import { withBlobs } from '../shapes/withBlobs.ts';
import { type KeyedRoute, operation, startOperation } from './operation.ts';
import type { PageInput } from './page.ts';
import {
  type ById,
  type JournalParts,
  type RunRowParts,
  allReached,
  effectsOfRun,
  runJournal,
  runNotFound,
  runToAppendTo,
} from './reach.ts';

const bucketsUsual = 60;

type AppendParts = RunAppender & RunRowParts;

/** A page of the runs that match, newest first. */
export const listRuns = operation(routes.listRuns, {
  values: 'hidden',
  reach: allReached,
  effects: 'none',
  perform: async (
    { store }: { readonly store: Store },
    caller,
    { limit, after, ...filter }: RunFilterQuery & PageInput,
  ) => {
    const { runs, next } = await readRuns(store, await runFilterOf(store, filter, caller), {
      limit,
      ...defined({ after }),
    });
    const data = runs.map((run) => (seesValues(caller, run.workflow) ? run : summaryWithoutValues(run)));
    return { data, next };
  },
});

/** Counted over time, by status. */
export const getRunHistogram = operation(routes.getRunHistogram, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async (
    { store }: { readonly store: Store },
    caller,
    { buckets = bucketsUsual, ...asked }: Received<typeof routes.getRunHistogram>['query'],
  ) => {
    const { from, to } = asked;
    if (from >= to) {
      const message = '"from" must be earlier than "to".';
      throw new ProblemError('validation-failed', message, {
        errors: [{ pointer: `?from`, code: 'wrong-value', message }],
      });
    }
    const bucketMs = (to - from) / buckets;
    const filter = await runFilterOf(store, asked, caller);
    const data = await runHistogram(store, filter, { from, bucketMs, buckets });
    return {
      from: instant(from),
      to: instant(to),
      bucketMs,
      data: data.map(({ at, counts, isCut }) => ({
        at: instant(at),
        counts,
        ...(isCut ? { cut: true as const } : {}),
      })),
    };
  },
});

/** The run, folded. */
export const getRun = operation(routes.getRun, {
  values: 'hidden',
  reach: async (
    { folds, clock }: JournalParts & { readonly folds: FoldedRuns },
    caller,
    { id }: ById,
  ): Promise<FoldedRun> => {
    const fold = isRunId(id) ? await folds.find(id) : undefined;
    if (fold === undefined || !maySee(caller, fold.run.workflow)) throw runNotFound(id, clock);
    return fold;
  },
  effects: 'none',
  perform: async ({ journal }, caller, { id }, fold): Promise<FoldedRun> => {
    if (seesValues(caller, fold.run.workflow)) return fold;
    const events = ((await journal.open(id))?.events ?? []).map(eventWithoutValues);
    return { run: replay(id, events), trace: Trace.of(events) };
  },
});

/** The text of a large value. Runs share values by digest: a caller that may see this run may not see every value. */
export const getRunValue = operation(routes.getRunValue, {
  reach: (
    parts: JournalParts & { readonly store: Store },
    caller,
    input: ById & { readonly sha256: string },
  ): Promise<readonly RunEvent[]> => runJournal(parts, caller, input),
  effects: 'none',
  perform: async ({ store }, _caller, { id, sha256 }, events): Promise<string> => {
    const isNamed = events.some((event) => JSON.stringify(event).includes(sha256));
    const isItsOwn = isNamed && (await usesBlob(store, id, sha256));
    const text = isItsOwn ? await store.blobs.get(sha256) : undefined;
    if (text === undefined) throw new ProblemError('not-found', 'The run has no such value, or it is no longer kept.');
    return text;
  },
});

/** Returns the whole journal, for what computes something of it and changes nothing. */
const journalOperation = <Served extends KeyedRoute>(route: Served, values: 'hidden' | 'needed') =>
  operation(route, {
    values,
    reach: (parts: JournalParts, caller: Principal, input: ById) => runJournal(parts, caller, input),
    effects: 'none',
    perform: async (_parts, caller, _input, events) => {
      const [first] = events;
      const isShown = first?.type === 'run.requested' && seesValues(caller, first.workflow);
      return isShown ? events : events.map(eventWithoutValues);
    },
  });

export const listRunEvents = journalOperation(routes.listRunEvents, 'hidden');
export const evaluateRun = journalOperation(routes.evaluateRun, 'needed');

interface LearnParts extends JournalParts, DeployedWorkflowParts {
  readonly learning: WorkflowLearner;
}

/** Learns a workflow from the run; deploys nothing. */
export const learnFromRun = operation(routes.learnFromRun, {
  reach: (parts: LearnParts, caller, input: ById & LearnOrder) => runJournal(parts, caller, input),
  effects: 'none',
  perform: async (parts, caller, order, events) => {
    const seen = await withBlobs(parts.store.blobs, (blobs) => seenRun(events, blobs));
    return parts.learning.learn(seen, order, deployedWorkflowsFor(parts, caller));
  },
});

/** The run after the request. The first request is recorded, further ones change nothing (I6). */
export const cancelRun = operation(routes.cancelRun, {
  reach: (parts: AppendParts, caller, input: ById & { readonly reason: string | undefined }) =>
    runToAppendTo(parts, caller, input),
  effects: effectsOfRun(checkEndingEffectsOf),
  perform: async (parts, { by }, { id, reason }) => found(parts, id, await requestCancel(parts, id, { by, reason })),
});

interface StartParts {
  readonly starter: Pick<RunStarter, 'start'>;
}

interface StartInput extends Omit<StartOptions, 'principal'> {
  readonly order: RunOrder;
  readonly idempotency: Parameters<RunStarter['start']>[2];
}

const start = async (
  { starter }: StartParts,
  caller: Principal,
  { order, idempotency, ...options }: StartInput,
): Promise<StartedRun> => starter.start(order, { ...options, principal: caller }, idempotency);

export const startWorkflow = startOperation(routes.startWorkflow, start);
/** Also of an inline workflow, and of the session of a client at the gateway. */
export const startRun = startOperation(routes.startRun, start);

interface SignalInput extends ById {
  readonly name: string;
  readonly payload: Json;
  /** The place of the name in the request, for a problem. */
  readonly pointer: string;
}

/** The run after the signal. */
export const signalRun = operation(routes.signalRun, {
  reach: async (parts: AppendParts, caller, input: SignalInput) => {
    checkSignalName(input.name, input.pointer);
    return runToAppendTo(parts, caller, input);
  },
  effects: effectsOfRun(checkEffectsOf),
  perform: async (parts, { by }, { id, name, payload }) =>
    found(parts, id, await sendSignal(parts, id, { name, payload, by })),
});

type RerunInput = ById &
  Pick<RerunOrder, 'from' | 'inputs' | 'version' | 'retriedAs' | 'told' | 'isPreview' | 'idempotency'>;

const rerunOperation = <Served extends KeyedRoute>(route: Served, kind: RerunOrder['kind']) =>
  operation(route, {
    reach: (parts: RerunOptions, caller: Principal, input: RerunInput) => runJournal(parts, caller, input),
    effects: 'by-start',
    perform: async (parts, principal, { id: runId, ...order }, journal): Promise<Rerun> =>
      rerun(parts, { ...order, kind, journal, runId, principal }),
  });

export const retryRun = rerunOperation(routes.retryRun, 'retry');
/** A run of its own takes back what the run wrote. A key may undo a run that it may start. */
export const undoRun = operation(routes.undoRun, {
  reach: (parts: UndoOptions, caller: Principal, input: ById & { readonly isPreview: boolean }) =>
    runJournal(parts, caller, input),
  effects: 'by-start',
  perform: async (parts, principal, { id: runId, isPreview }, journal): Promise<Undo> =>
    undo(parts, { runId, journal, principal, isPreview }),
});

export const rerunRun = rerunOperation(routes.rerunRun, 'rerun');

function found(parts: RunRowParts, id: string, run: Run | undefined): Run {
  if (run === undefined) throw runNotFound(id, parts.clock);
  return run;
}

interface FeedParts {
  readonly store: Store;
  readonly feed: Feed;
}

interface FeedInput {
  readonly workflow?: string | undefined;
  /** A position that a reader was given; undefined: the end. */
  readonly after: unknown;
}

/** Where to begin, and which workflows are shown; a page or a stream follows from that. */
export const listEvents = operation(routes.listEvents, {
  values: 'hidden',
  reach: allReached,
  effects: 'none',
  perform: async (parts: FeedParts, caller, { workflow, after }: FeedInput) => ({
    from: await startOf(parts, after),
    shown: (event: RunEvent, of: string): RunEvent => (seesValues(caller, of) ? event : eventWithoutValues(event)),
    isShown: (one: string): boolean =>
      maySee(caller, one) && (workflow === undefined || matchesWorkflow([workflow], one)),
  }),
});

/** Rejects with `ProblemError` for an invalid position, and for one in the future. */
async function startOf({ store, feed: { seal } }: FeedParts, given: unknown): Promise<FeedPosition> {
  const end = await feedEnd(store);
  if (given === undefined) return end.position;
  const position = typeof given === 'string' ? seal.open(given) : undefined;
  if (position !== undefined && !isAhead(position, end)) return position;
  throw new ProblemError(
    'invalid-cursor',
    'This is no position in the events of this installation. Begin without one.',
  );
}

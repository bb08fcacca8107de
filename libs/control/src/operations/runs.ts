/** Operations of runs. */
import { type RunFilterQuery, ProblemError, routes } from '@baton/api';
import type { Run, RunEvent } from '@baton/engine';
import type { Json } from '@baton/primitives';
import { type Store, isRunId, listRuns as readRuns, usesBlob } from '@baton/store';

import { cancelRun as requestCancel } from '../intake/cancel.ts';
import { type Rerun, type RerunOptions, rerun } from '../intake/rerun.ts';
import type { RerunOrder } from '../intake/rerunOrder.ts';
import type { RunAppender } from '../intake/runAppender.ts';
import { checkSignalName, signalRun as sendSignal } from '../intake/signal.ts';
import { checkEffectsOf, checkEndingEffectsOf } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import type { FoldedRun, FoldedRuns } from '../shapes/foldedRuns.ts';
import { runFilterOf } from '../shapes/runFilter.ts';
import { type KeyedRoute, operation } from './operation.ts';
import {
  type ById,
  type JournalParts,
  type RunRowParts,
  allReached,
  effectsOfRun,
  runJournal,
  runNotFound,
  runRow,
  runToAppendTo,
} from './reach.ts';

type AppendParts = RunAppender & RunRowParts;

interface ListRunsInput {
  readonly filter: RunFilterQuery;
  readonly page: Parameters<typeof readRuns>[2];
}

/** A page of the runs that match, newest first. */
export const listRuns = operation(routes.listRuns, {
  reach: allReached,
  effects: 'none',
  perform: async ({ store }: { readonly store: Store }, caller, { filter, page }: ListRunsInput) =>
    readRuns(store, runFilterOf(filter, caller), page),
});

/** The run, folded. */
export const getRun = operation(routes.getRun, {
  reach: async (
    { folds, clock }: Pick<JournalParts, 'clock'> & { readonly folds: FoldedRuns },
    caller,
    { id }: ById,
  ): Promise<FoldedRun> => {
    const fold = isRunId(id) ? await folds.find(id) : undefined;
    if (fold === undefined || !maySee(caller, fold.run.workflow)) throw runNotFound(id, clock);
    return fold;
  },
  effects: 'none',
  perform: async (_parts, _caller, _input, fold) => fold,
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
const journalOperation = <Served extends KeyedRoute>(route: Served) =>
  operation(route, {
    reach: (parts: JournalParts, caller: Principal, input: ById) => runJournal(parts, caller, input),
    effects: 'none',
    perform: async (_parts, _caller, _input, events) => events,
  });

export const listRunEvents = journalOperation(routes.listRunEvents);
export const evaluateRun = journalOperation(routes.evaluateRun);
export const learnFromRun = journalOperation(routes.learnFromRun);

/** The run's row, for what reads its journal page by page, or live. */
export const followRunEvents = operation(routes.listRunEvents, {
  reach: (parts: Pick<RunRowParts, 'store' | 'clock'>, caller, input: ById) => runRow(parts, caller, input),
  effects: 'none',
  perform: async (_parts, _caller, _input, run) => run,
});

/** The run after the request. The first request is recorded, further ones change nothing (I6). */
export const cancelRun = operation(routes.cancelRun, {
  reach: (parts: AppendParts, caller, input: ById & { readonly reason: string | undefined }) =>
    runToAppendTo(parts, caller, input),
  effects: effectsOfRun(checkEndingEffectsOf),
  perform: async (parts, { by }, { id, reason }) => found(parts, id, await requestCancel(parts, id, { by, reason })),
});

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

type RerunInput = ById & Pick<RerunOrder, 'from' | 'inputs' | 'version' | 'isPreview' | 'idempotency'>;

const rerunOperation = <Served extends KeyedRoute>(route: Served, kind: RerunOrder['kind']) =>
  operation(route, {
    reach: (parts: RerunOptions, caller: Principal, input: RerunInput) => runJournal(parts, caller, input),
    effects: 'by-start',
    perform: async (parts, principal, { id: runId, ...order }, journal): Promise<Rerun> =>
      rerun(parts, { ...order, kind, journal, runId, principal }),
  });

export const retryRun = rerunOperation(routes.retryRun, 'retry');
export const rerunRun = rerunOperation(routes.rerunRun, 'rerun');

function found(parts: RunRowParts, id: string, run: Run | undefined): Run {
  if (run === undefined) throw runNotFound(id, parts.clock);
  return run;
}

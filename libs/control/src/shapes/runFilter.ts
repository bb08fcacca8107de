import { type RunFilterQuery, ProblemError } from '@baton/api';
import { matchesWorkflow } from '@baton/language';
import { defined } from '@baton/primitives';
import { type FailedRun, type RunFilter, type Store, failedRuns, getRun, isRunId } from '@baton/store';

import { causeKey } from '../causes/groupByCause.ts';
import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';

/** Failed runs that are compared for their causes, the newest ones. */
export const comparedMax = 5_000;

/**
 * Combines the filter of a request with the workflows that the key may see. Rejects with `ProblemError` if `like` is no
 * failed run that the key may see, and with `UnavailableError`. `pointer`: where `like` is in the request.
 */
export async function runFilterOf(
  store: Store,
  { status, retried, like, outcome, parent, ...more }: RunFilterQuery,
  principal: Pick<Principal, 'workflows' | 'hidesValues'>,
  pointer = '?like',
): Promise<RunFilter> {
  // What a failure says can be found out letter by letter.
  if (principal.hidesValues === true && (more.text !== undefined || like !== undefined))
    throw new ProblemError('forbidden', 'The text of failures is hidden: it needs a role with the scope runs:values.');
  const filter: RunFilter = defined({
    ...more,
    statuses: status,
    isRetried: retried && retried === 'yes',
    isUnknown: outcome && outcome === 'unknown',
    workflows: reachOf(principal),
    parentRunId: parent && (parent === 'none' ? null : parent),
  });
  if (like === undefined) return filter;
  const failed = await failedLike(store, filter, { like, principal, pointer });
  return { ...filter, ids: failed.map(({ id }) => id) };
}

/**
 * The newest failed runs of a request's filter, those of one cause where it has `like`. They are read once. Rejects as
 * `runFilterOf` does.
 */
export async function failedRunsOf(
  store: Store,
  { like, ...query }: Omit<RunFilterQuery, 'status'>,
  principal: Pick<Principal, 'workflows'>,
): Promise<readonly FailedRun[]> {
  const filter = await runFilterOf(store, query, principal);
  if (like === undefined) return failedRuns(store, filter, comparedMax);
  return failedLike(store, filter, { like, principal, pointer: '?like' });
}

interface LikeRun {
  readonly like: string;
  readonly principal: Pick<Principal, 'workflows'>;
  readonly pointer: string;
}

async function failedLike(
  store: Store,
  filter: RunFilter,
  { like, principal, pointer }: LikeRun,
): Promise<readonly FailedRun[]> {
  const run = isRunId(like) ? await getRun(store, like) : undefined;
  if (run?.failure === undefined || run.status !== 'failed' || !maySee(principal, run.workflow))
    throw unknownFailure(pointer);
  const { workflow, failure, trigger } = run;
  if (filter.workflow !== undefined && !matchesWorkflow([filter.workflow], workflow)) return [];
  const failed = await failedRuns(store, { ...filter, workflow }, comparedMax);
  const own = causeKey(failure);
  return failed.filter((other) => other.isUndo === (trigger.kind === 'undo') && causeKey(other.failure) === own);
}

function unknownFailure(pointer: string): ProblemError {
  const message = 'No failed run has this id.';
  return new ProblemError('validation-failed', message, {
    errors: [{ pointer, code: 'wrong-value', message }],
  });
}

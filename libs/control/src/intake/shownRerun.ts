/** Converts a retry or rerun into the API's schema. */
import type { RerunResult } from '@baton/api';
import { defined } from '@baton/primitives';

import { shownSaid } from '../shapes/saidOutcome.ts';
import type { Rerun } from './rerun.ts';

export function shownRerun(rerunOf: string, rerun: Rerun): RerunResult {
  const { runId: id, version, newerVersion, kept, repeated, retryInstead, retriedAs } = rerun;
  return {
    ...(id === undefined ? {} : { id, status: 'queued' }),
    rerunOf,
    version: version ?? null,
    ...defined({ newerVersion, retriedAs, retryInstead }),
    kept: repeated.kept,
    ...(repeated.notUndone.length === 0 ? {} : { notUndone: [...repeated.notUndone] }),
    unmatched: [...kept.unmatched],
    ...(repeated.unread === 0 ? {} : { unread: repeated.unread }),
    again: repeated.calls.map(
      ({ path, verb, target, effect, outcome, undoEnd, lookup, mayBeTold, said, formerly, sameArguments }) => ({
        path,
        verb,
        ...defined({ target, effect }),
        outcome,
        ...defined({ undoEnd, lookup, mayBeTold, said: shownSaid(said), formerly, sameArguments }),
      }),
    ),
  };
}

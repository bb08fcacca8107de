/** Converts a retry or rerun into the API's schema. */
import type { RerunResult } from '@baton/api';

import type { Rerun } from '../intake/rerun.ts';

export function shownRerun(rerunOf: string, { runId: id, version, newerVersion, kept }: Rerun): RerunResult {
  return {
    ...(id === undefined ? {} : { id, status: 'queued' }),
    rerunOf,
    version: version ?? null,
    ...(newerVersion === undefined ? {} : { newerVersion }),
    kept: kept.events.filter((event) => 'kept' in event).length,
    unmatched: [...kept.unmatched],
    again: kept.again.map(({ path, verb, target, effect, outcome }) => ({
      path,
      verb,
      ...(target === undefined ? {} : { target }),
      ...(effect === undefined ? {} : { effect }),
      outcome,
    })),
  };
}

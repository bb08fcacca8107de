/** Failed runs by cause. */
import { type FailureCauses, type Received, instant, routes } from '@baton/api';
import type { Clock } from '@baton/runner';
import type { Store } from '@baton/store';

import { type FailureGroup, groupByCause } from '../causes/groupByCause.ts';
import { comparedMax, failedRunsOf } from '../shapes/runFilter.ts';
import { operation } from './operation.ts';
import { allReached } from './reach.ts';

const causesMax = 100;
const buckets = 24;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
}

export const getFailureCauses = operation(routes.getFailureCauses, {
  reach: allReached,
  effects: 'none',
  perform: async (
    { store, clock }: Parts,
    caller,
    query: Received<typeof routes.getFailureCauses>['query'],
  ): Promise<FailureCauses> => {
    const failed = await failedRunsOf(store, query, caller);
    const groups = groupByCause(failed);
    const { from = failed.at(-1)?.createdAt ?? clock.now(), to = Math.max(clock.now(), from + 1) } = query;
    const bucketMs = (to - from) / buckets;
    const isCut = failed.length === comparedMax || groups.length > causesMax;
    return {
      from: instant(from),
      to: instant(to),
      bucketMs,
      data: groups.slice(0, causesMax).flatMap((group) => shownGroup(group, { from, bucketMs })),
      ...(isCut ? { cut: true as const } : {}),
    };
  },
});

function shownGroup(
  { workflow, isUndo, step, code, cause, runs }: FailureGroup,
  { from, bucketMs }: { readonly from: number; readonly bucketMs: number },
): FailureCauses['data'] {
  const [newest, oldest] = [runs[0], runs.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const counts = Array.from({ length: buckets }, () => 0);
  for (const { createdAt } of runs) {
    const at = Math.min(buckets - 1, Math.max(0, Math.floor((createdAt - from) / bucketMs)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return [
    {
      workflow,
      ...(isUndo ? { undo: true as const } : {}),
      ...(step === undefined ? {} : { step }),
      code,
      cause,
      count: runs.length,
      retried: runs.filter(({ isRetried }) => isRetried).length,
      first: instant(oldest.createdAt),
      last: instant(newest.createdAt),
      counts,
      run: newest.id,
      message: newest.failure.message,
    },
  ];
}

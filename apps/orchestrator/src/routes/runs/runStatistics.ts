/** Runs in numbers: over time, and of a workflow. */
import { instant, ProblemError, routes } from '@baton/api';
import { unknownWorkflow, maySee, percentile, runFilterOf } from '@baton/control';
import type { RunStatus } from '@baton/engine';
import { defined } from '@baton/primitives';
import { type Store, getWorkflow, recentRuns, runHistogram } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

const bucketsUsual = 60;
const recentMax = 50;

export function runStatisticsRoutes(app: App, { store }: { readonly store: Store }): void {
  route(app, routes.getRunHistogram, async ({ query: { buckets = bucketsUsual, ...asked }, principal }) => {
    const { from, to } = asked;
    if (from >= to) {
      const message = '"from" must be earlier than "to".';
      throw new ProblemError('validation-failed', message, {
        errors: [{ pointer: `?from`, code: 'wrong-value', message }],
      });
    }
    const bucketMs = (to - from) / buckets;
    const data = await runHistogram(store, runFilterOf(asked, principal), { from, bucketMs, buckets });
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
  });
  route(app, routes.getWorkflowStats, async ({ params: { id }, principal }) => {
    const workflow = maySee(principal, id) ? await getWorkflow(store, id) : undefined;
    if (workflow === undefined) throw await unknownWorkflow(store, { workflow: id }, principal);
    const runs = await recentRuns(store, id, recentMax);
    const counts: Partial<Record<RunStatus, number>> = {};
    for (const { status } of runs) counts[status] = (counts[status] ?? 0) + 1;
    const notAchieved = runs.filter(({ failureCode }) => failureCode === 'not-achieved').length;
    const durations = runs.flatMap(({ durationMs }) => durationMs ?? []);
    const [p50Ms, p95Ms] = [0.5, 0.95].map((part) => percentile(durations, part));
    return {
      id,
      counts,
      ...(notAchieved === 0 ? {} : { notAchieved }),
      ...defined({ p50Ms, p95Ms }),
      runs: runs.map(({ id: runId, status, durationMs, createdAt }) => ({
        id: runId,
        status,
        ...defined({ durationMs }),
        at: instant(createdAt),
      })),
    };
  });
}

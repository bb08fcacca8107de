/** Routes of schedules: list with the next times, pause, resume, trigger, backfill. */
import { type Firing as FiringAnswer, instant } from '@baton/api';
import { control, type ScheduleOptions } from '@baton/control';
import type { Firing } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { serve, serveAsIs, serveList } from '../../http/route.ts';

export function scheduleRoutes(app: App, options: ScheduleOptions): void {
  const isPlace = (text: string): boolean => text !== '';
  serveList(app, control.listSchedules, options, { list: 'schedules', isPlace, shown: (schedule) => schedule });
  serve(app, control.getSchedule, options, {
    input: ({ params }) => params,
    answer: ({ schedule, firings }) => ({ ...schedule, recent: firings.map(shownFiring) }),
  });
  serveAsIs(app, control.pauseSchedule, options);
  serveAsIs(app, control.resumeSchedule, options);
  serve(app, control.triggerSchedule, options, {
    input: ({ params }) => params,
    answer: ({ runId, next }, reply) => {
      reply.code(202).header('location', `/v1/runs/${runId}`);
      return { id: runId, status: 'queued' as const, next };
    },
  });
  serve(app, control.backfillSchedule, options, {
    input: ({ params: { id }, body: range }) => ({ id, range }),
    answer: (backfilled) => backfilled,
  });
}

function shownFiring(firing: Firing): FiringAnswer {
  const { outcome, cause, by } = firing;
  return {
    instant: instant(firing.instant),
    outcome,
    ...('reason' in firing ? { reason: firing.reason } : {}),
    ...('runId' in firing ? { runId: firing.runId } : {}),
    cause,
    by,
  };
}

/** Routes of schedules: list with the next times, pause, resume, trigger, backfill. */
import { type Firing as FiringAnswer, instant, limitUsual, routes } from '@baton/api';
import { control, type ScheduleOptions } from '@baton/control';
import type { Firing } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route, serve } from '../../http/route.ts';

export function scheduleRoutes(app: App, options: ScheduleOptions): void {
  route(app, routes.listSchedules, async ({ query: { workflow, limit = limitUsual, cursor }, principal }) => {
    const cursors = new Cursors('schedules', { workflow });
    const after = cursors.read(cursor, (text) => text !== '');
    const { data, next } = await control.listSchedules(options, principal, { workflow, limit, after });
    return { data, ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
  serve(app, control.getSchedule, options, {
    input: ({ params }) => params,
    answer: ({ schedule, firings }) => ({ ...schedule, recent: firings.map(shownFiring) }),
  });
  serve(app, control.pauseSchedule, options, { input: ({ params }) => params, answer: (paused) => paused });
  serve(app, control.resumeSchedule, options, { input: ({ params }) => params, answer: (resumed) => resumed });
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

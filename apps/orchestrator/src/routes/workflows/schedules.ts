/** Routes of schedules: list with the next times, pause, resume, trigger, backfill. */
import {
  type Backfill,
  type Firing as FiringAnswer,
  backfillMax,
  instant,
  limitUsual,
  ProblemError,
  routes,
} from '@baton/api';
import {
  type ScheduleOptions,
  checkMayStart,
  findSchedule,
  listedSchedules,
  confirmNow,
  pauseNow,
  resumeNow,
  triggerNow,
  nextTimes,
  shownSchedule,
} from '@baton/control';
import { instantsAfter } from '@baton/language';
import { type Firing, type Schedule, auditSchedule, lastRefusals, listFirings, queueFirings } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

export function scheduleRoutes(app: App, options: ScheduleOptions): void {
  readingRoutes(app, options);
  holdingRoutes(app, options);
  triggerRoute(app, options);
  backfillRoute(app, options);
}

function readingRoutes(app: App, options: ScheduleOptions): void {
  const { store, clock, ticker } = options;
  route(app, routes.listSchedules, async ({ query: { workflow, limit = limitUsual, cursor }, principal }) => {
    const cursors = new Cursors('schedules', { workflow });
    const after = cursors.read(cursor, (text) => text !== '');
    const { data, next } = await listedSchedules(options, principal, { workflow, limit, after });
    return { data, ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
  route(app, routes.getSchedule, async ({ params: { id }, principal }) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, id, principal);
    const recent = await listFirings(store, schedule.id, 20);
    const refused = (await lastRefusals(store, [schedule.id])).get(schedule.id);
    return { ...shownSchedule(schedule, clock.now(), refused), recent: recent.map(shownFiring) };
  });
}

function holdingRoutes(app: App, options: ScheduleOptions): void {
  route(app, routes.pauseSchedule, async ({ params: { id }, principal }) => pauseNow(options, id, principal));
  route(app, routes.confirmHistory, async ({ principal }) => confirmNow(options, principal));
  route(app, routes.resumeSchedule, async ({ params: { id }, principal }) => resumeNow(options, id, principal));
}

function triggerRoute(app: App, options: ScheduleOptions): void {
  route(app, routes.triggerSchedule, async ({ params: { id }, principal }, reply) => {
    const { runId, next } = await triggerNow(options, id, principal);
    reply.code(202).header('location', `/v1/runs/${runId}`);
    return { id: runId, status: 'queued' as const, next };
  });
}

function backfillRoute(app: App, options: ScheduleOptions): void {
  const { store, clock, ticker } = options;
  route(app, routes.backfillSchedule, async ({ params, principal, body }) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, params.id, principal);
    const { id } = schedule;
    const instants = instantsIn(schedule, body, clock.now());
    const answer = { instants: instants.map(instant), next: nextTimes(schedule, clock.now()) };
    if (body.preview === true) return { ...answer, queued: [], preview: true };
    await checkMayStart(options, schedule, principal);
    const queued = await queueFirings(store, id, { instants, by: principal.by });
    const detail = { from: instant(body.from), to: instant(body.to), instants: queued.length };
    await auditSchedule(store, { action: 'schedule.backfilled', by: principal.by, id, detail });
    return { ...answer, queued: queued.map(instant), preview: false };
  });
}

/** Throws `ProblemError`. */
function instantsIn(schedule: Schedule, { from, to }: Backfill, nowMs: number): readonly number[] {
  const wrong = (pointer: string, message: string): ProblemError =>
    new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });
  if (to > nowMs) throw wrong('/to', 'A backfill covers past times only: "to" must not be in the future.');
  if (from > to) throw wrong(`/from`, '"from" must not be later than "to".');
  const instants: number[] = [];
  for (const at of instantsAfter(schedule, from - 1)) {
    if (at > to) break;
    if (instants.length === backfillMax)
      throw wrong('/to', `The schedule has more than ${backfillMax} times in this range.`);
    instants.push(at);
  }
  return instants;
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

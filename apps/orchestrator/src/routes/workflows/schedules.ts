/** Routes of schedules: list with the next times, pause, resume, trigger, backfill. */
import type { Backfill, Firing as FiringAnswer, Schedule as ScheduleAnswer } from '@baton/api';
import { backfillMax, WorkflowNameSchema, routes, ProblemError, instant, limitUsual } from '@baton/api';
import { instantsAfter } from '@baton/language';
import type { Firing, RefusedFiring, Schedule } from '@baton/store';
import {
  getSchedule,
  lastRefusals,
  listFirings,
  listSchedules,
  auditSchedule,
  pauseSchedule,
  queueFirings,
  resumeSchedule,
} from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';
import { checkEffectsOf } from '../../keys/effects.ts';
import { maySee } from '../../keys/keyAccess.ts';
import type { Principal } from '../../keys/scopes.ts';
import type { FiringOptions } from '../../schedules/firing.ts';
import { scheduledInputs } from '../../schedules/firing.ts';
import type { Ticker } from '../../schedules/ticker.ts';

export interface ScheduleOptions extends FiringOptions {
  readonly ticker: Pick<Ticker, 'storeNewSchedules' | 'tick'>;
}

export function scheduleRoutes(app: App, options: ScheduleOptions): void {
  readingRoutes(app, options);
  holdingRoutes(app, options);
  triggerRoute(app, options);
  backfillRoute(app, options);
}

function readingRoutes(app: App, { store, clock, ticker }: ScheduleOptions): void {
  route(app, routes.listSchedules, async ({ query: { workflow, limit = limitUsual, cursor }, principal }) => {
    const cursors = new Cursors('schedules', { workflow });
    const after = cursors.read(cursor, (text) => text !== '');
    await ticker.storeNewSchedules();
    const reached = principal.workflows && [...principal.workflows];
    const workflows = workflow === undefined ? reached : (reached ?? [workflow]).filter((one) => one === workflow);
    const { schedules, next } = await listSchedules(store, { workflows }, { limit, after });
    const refused = await lastRefusals(
      store,
      schedules.map(({ id }) => id),
    );
    const data = schedules.map((one) => ({
      ...toScheduleAnswer(one, clock.now()),
      ...shownRefusal(refused.get(one.id)),
    }));
    return { data, ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
  route(app, routes.getSchedule, async ({ params: { id }, principal }) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, id, principal);
    const recent = await listFirings(store, schedule.id, 20);
    const refused = shownRefusal((await lastRefusals(store, [schedule.id])).get(schedule.id));
    return { ...toScheduleAnswer(schedule, clock.now()), ...refused, recent: recent.map(shownFiring) };
  });
}

function holdingRoutes(app: App, options: ScheduleOptions): void {
  const { store, clock, ticker } = options;
  route(app, routes.pauseSchedule, async ({ params: { id }, principal }) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, id, principal);
    await pauseSchedule(store, schedule.id, principal.by);
    return toScheduleAnswer(await findSchedule(store, id, principal), clock.now());
  });
  route(app, routes.resumeSchedule, async ({ params: { id }, principal }) => {
    const schedule = await findSchedule(store, id, principal);
    await checkMayStart(options, schedule, principal);
    const [nextAt] = instantsAfter(schedule, clock.now()).take(1);
    await resumeSchedule(store, schedule.id, { nextAt, by: principal.by });
    return toScheduleAnswer(await findSchedule(store, id, principal), clock.now());
  });
}

function triggerRoute(app: App, options: ScheduleOptions): void {
  const { store, clock, starter, ticker } = options;
  route(app, routes.triggerSchedule, async ({ params, principal }, reply) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, params.id, principal);
    const { id, workflow, version } = schedule;
    const detail = { schedule: id, instant: instant(clock.now()), manual: true };
    const inputs = await scheduledInputs(options, schedule, detail);
    const order = { inputs, by: principal.by, principal, trigger: { kind: 'schedule', detail } } as const;
    const { runId } = await starter.start({ workflow, version }, order);
    await auditSchedule(store, { action: 'schedule.triggered', by: principal.by, id, detail: { runId } });
    reply.code(202).header('location', `/v1/runs/${runId}`);
    return { id: runId, status: 'queued' as const, next: nextOf(schedule, clock.now()) };
  });
}

function backfillRoute(app: App, options: ScheduleOptions): void {
  const { store, clock, ticker } = options;
  route(app, routes.backfillSchedule, async ({ params, principal, body }) => {
    await ticker.storeNewSchedules();
    const schedule = await findSchedule(store, params.id, principal);
    const { id } = schedule;
    const instants = instantsIn(schedule, body, clock.now());
    const answer = { instants: instants.map(instant), next: nextOf(schedule, clock.now()) };
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

/** Rejects with `ProblemError`. */
async function checkMayStart(
  { store, plans }: ScheduleOptions,
  schedule: Schedule,
  principal: Principal,
): Promise<void> {
  const version = await store.findVersion(schedule);
  if (version !== undefined) await checkEffectsOf(principal, plans, version.definition);
}

/** Rejects with `ProblemError`. */
async function findSchedule(store: ScheduleOptions['store'], id: string, principal: Principal): Promise<Schedule> {
  const schedule = await getSchedule(store, id);
  if (schedule !== undefined && maySee(principal, schedule.workflow)) return schedule;
  const message = `There is no schedule ${JSON.stringify(id.slice(0, 80))}.`;
  throw new ProblemError('not-found', `${message}${await ofWorkflow(store, id, principal)}`);
}

/** A hint for a client that gave the name of a workflow: the names of its schedules. */
async function ofWorkflow(store: ScheduleOptions['store'], id: string, principal: Principal): Promise<string> {
  if (!WorkflowNameSchema.safeParse(id).success || !maySee(principal, id)) return '';
  const { schedules } = await listSchedules(store, { workflows: [id] }, { limit: namedMax });
  return schedules.length === 0 ? '' : ` Did you mean ${schedules.map((one) => JSON.stringify(one.id)).join(' or ')}?`;
}

const namedMax = 3;

function nextOf(schedule: Schedule, nowMs: number): string[] {
  const { paused, nextAt } = schedule;
  if (paused !== undefined) return [];
  return instantsAfter(schedule, Math.max(nowMs, (nextAt ?? nowMs) - 1))
    .take(5)
    .map(instant)
    .toArray();
}

function toScheduleAnswer(schedule: Schedule, nowMs: number): ScheduleAnswer {
  const { id, workflow, version, cron, timezone, overlap, catchUp, paused } = schedule;
  const next = nextOf(schedule, nowMs);
  const held = paused === undefined ? {} : { pausedAt: instant(paused.at), pausedBy: paused.by };
  return { id, workflow, version, cron, timezone, overlap, catchUp, paused: paused !== undefined, ...held, next };
}

const shownRefusal = (refused: RefusedFiring | undefined): Pick<ScheduleAnswer, 'refused'> =>
  refused === undefined ? {} : { refused: { instant: instant(refused.instant), reason: refused.reason } };

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

/** Schedules: listed with what comes next, held, let go on, and had fire out of turn. */
import { instantsAfter } from '@baton/language';
import type { Firing, FiringOutcome, Schedule } from '@baton/store';
import {
  getSchedule,
  listFirings,
  listSchedules,
  noteScheduleUse,
  pauseSchedule,
  queueFirings,
  resumeSchedule,
} from '@baton/store';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { Cursor, Cursors, InstantText, Limit, limitUsual } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import { checkEffects, reaches } from '../keys/reach.ts';
import type { Principal } from '../keys/scopes.ts';
import type { FiringOptions } from '../schedules/firing.ts';
import { scheduledInputs } from '../schedules/firing.ts';
import type { Ticker } from '../schedules/ticker.ts';
import { Instant, instant, pageOf, RunId, WorkflowName } from '../shapes/values.ts';
import { Accepted } from './startRuns.ts';

const tags = ['Schedules'];
const reading: Access = ['runs:read', 'runs:write', 'workflows:write'];
const starting: Access = ['runs:write'];

const outcomes = ['started', 'skipped', 'queued', 'refused'] as const satisfies readonly FiringOutcome['outcome'][];

const Fired = z
  .strictObject({
    instant: Instant,
    outcome: z.enum(outcomes).meta({ description: '`queued`: it is started when the run before is over.' }),
    reason: z.string().optional(),
    runId: RunId.optional(),
    cause: z.enum(['due', 'late', 'backfill']),
    by: z.string(),
  })
  .meta({ id: 'Firing', description: 'What became of an instant.' });

const Next = z.array(Instant).meta({ description: 'The next five instants; none while it is paused.' });

const summary = {
  id: z.string(),
  workflow: WorkflowName,
  version: z.int(),
  cron: z.string(),
  timezone: z.string(),
  overlap: z.enum(['skip', 'queue', 'replace', 'allow']),
  catchUp: z.enum(['none', 'latest', 'all']),
  paused: z.boolean(),
  pausedAt: Instant.optional(),
  pausedBy: z.string().optional(),
  next: Next,
};

const Summary = z.strictObject(summary).meta({ id: 'Schedule' });
const Detail = z
  .strictObject({ ...summary, recent: z.array(Fired).meta({ description: 'Newest first.' }) })
  .meta({ id: 'ScheduleDetail' });

const Triggered = Accepted.extend({ next: Next }).meta({ id: 'TriggeredSchedule' });

const instantsMax = 1_000;

const Span = z
  .strictObject({
    from: InstantText,
    to: InstantText.meta({ description: 'Up to and including this instant; not in the future.' }),
    preview: z.boolean().optional().meta({ description: 'Only tell which instants these are.' }),
  })
  .meta({ id: 'Backfill' });

const Backfilled = z
  .strictObject({
    instants: z.array(Instant).meta({ description: 'All of the span.' }),
    queued: z
      .array(Instant)
      .meta({ description: 'Those that are made up for. The others have had their turn before.' }),
    preview: z.boolean(),
    next: Next,
  })
  .meta({ id: 'Backfilled' });

/** A text, so that what is no schedule's id is a schedule that does not exist. */
const ById = z.strictObject({ id: z.string() });

export interface ScheduleOptions extends FiringOptions {
  readonly ticker: Pick<Ticker, 'place' | 'tick'>;
}

export function scheduleRoutes(app: App, options: ScheduleOptions): void {
  readingRoutes(app, options);
  holdingRoutes(app, options);
  triggerRoute(app, options);
  backfillRoute(app, options);
}

function readingRoutes(app: App, { store, clock, ticker }: ScheduleOptions): void {
  app.get(
    '/v1/schedules',
    {
      config: { access: reading },
      schema: {
        tags,
        summary: 'List schedules',
        description: 'By their ids. They are what the newest versions of the deployed workflows say.',
        querystring: z.strictObject({ workflow: WorkflowName.optional(), limit: Limit, cursor: Cursor }),
        response: { 200: pageOf(Summary) },
      },
    },
    async ({ query: { workflow, limit = limitUsual, cursor }, principal }) => {
      const cursors = new Cursors('schedules', { workflow });
      const after = cursors.read(cursor, (text) => text !== '');
      await ticker.place();
      const reached = principal.workflows && [...principal.workflows];
      const workflows = workflow === undefined ? reached : (reached ?? [workflow]).filter((one) => one === workflow);
      const { schedules, next } = await listSchedules(store, { workflows }, { limit, after });
      const data = schedules.map((one) => shown(one, clock.now()));
      return { data, ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
    },
  );
  app.get(
    '/v1/schedules/:id',
    {
      config: { access: reading },
      schema: { tags, summary: 'Show a schedule, and what it did', params: ById, response: { 200: Detail } },
    },
    async ({ params: { id }, principal }) => {
      await ticker.place();
      const schedule = await found(store, id, principal);
      const recent = await listFirings(store, id, 20);
      return { ...shown(schedule, clock.now()), recent: recent.map(shownFiring) };
    },
  );
}

function holdingRoutes(app: App, { store, clock, ticker }: ScheduleOptions): void {
  const access: Access = ['workflows:write', 'runs:write'];
  app.post(
    '/v1/schedules/:id/pause',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Pause a schedule',
        description: 'What would have been while it is paused is not made up for, but with a backfill.',
        params: ById,
        response: { 200: Summary },
      },
    },
    async ({ params: { id }, principal }) => {
      await ticker.place();
      await found(store, id, principal);
      await pauseSchedule(store, id, principal.by);
      return shown(await found(store, id, principal), clock.now());
    },
  );
  app.post(
    '/v1/schedules/:id/resume',
    {
      config: { access },
      schema: { tags, summary: 'Let a schedule go on', params: ById, response: { 200: Summary } },
    },
    async ({ params: { id }, principal }) => {
      const schedule = await found(store, id, principal);
      const [nextAt] = instantsAfter(schedule, clock.now()).take(1);
      await resumeSchedule(store, id, { nextAt, by: principal.by });
      return shown(await found(store, id, principal), clock.now());
    },
  );
}

function triggerRoute(app: App, options: ScheduleOptions): void {
  const { store, clock, starter, ticker } = options;
  app.post(
    '/v1/schedules/:id/trigger',
    {
      config: { access: starting },
      schema: {
        tags,
        summary: 'Have a schedule fire now',
        description: 'Beside its instants, whether it is paused or not, and whatever else of it is going on.',
        params: ById,
        response: { 202: Triggered },
      },
    },
    async ({ params: { id }, principal }, reply) => {
      await ticker.place();
      const schedule = await found(store, id, principal);
      const { workflow, version } = schedule;
      const detail = { schedule: id, instant: instant(clock.now()), manual: true };
      const inputs = await scheduledInputs(options, schedule, detail);
      const order = { inputs, by: principal.by, principal, trigger: { kind: 'schedule', detail } } as const;
      const { runId } = await starter.start({ workflow, version }, order);
      await noteScheduleUse(store, { action: 'schedule.triggered', by: principal.by, id, detail: { runId } });
      reply.code(202).header('location', `/v1/runs/${runId}`);
      return { id: runId, status: 'queued' as const, next: nextOf(schedule, clock.now()) };
    },
  );
}

function backfillRoute(app: App, options: ScheduleOptions): void {
  const { store, clock, ticker } = options;
  app.post(
    '/v1/schedules/:id/backfill',
    {
      config: { access: starting },
      schema: {
        tags,
        summary: 'Make up for instants of the past',
        description: `At most ${instantsMax} at once. An instant that fired before does not fire again; unless runs of the schedule may overlap, they follow each other.`,
        params: ById,
        body: Span,
        response: { 200: Backfilled },
      },
    },
    async ({ params: { id }, principal, body }) => {
      await ticker.place();
      const schedule = await found(store, id, principal);
      const instants = instantsIn(schedule, body, clock.now());
      const answer = { instants: instants.map(instant), next: nextOf(schedule, clock.now()) };
      if (body.preview === true) return { ...answer, queued: [], preview: true };
      await checkMayStart(options, schedule, principal);
      const queued = await queueFirings(store, id, { instants, by: principal.by });
      const detail = { from: instant(body.from), to: instant(body.to), instants: queued.length };
      await noteScheduleUse(store, { action: 'schedule.backfilled', by: principal.by, id, detail });
      return { ...answer, queued: queued.map(instant), preview: false };
    },
  );
}

/** Throws `ProblemError`. */
function instantsIn(schedule: Schedule, { from, to }: z.infer<typeof Span>, nowMs: number): readonly number[] {
  const wrong = (pointer: string, message: string): ProblemError =>
    new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });
  if (to > nowMs) throw wrong('/to', 'Only instants of the past are made up for.');
  if (from > to) throw wrong(`/from`, '"from" must not be later than "to".');
  const instants: number[] = [];
  for (const at of instantsAfter(schedule, from - 1)) {
    if (at > to) break;
    if (instants.length === instantsMax)
      throw wrong('/to', `There are more than ${instantsMax} instants in this span.`);
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
  if (version !== undefined) checkEffects(principal, await plans(version.definition));
}

/** Rejects with `ProblemError`. */
async function found(store: ScheduleOptions['store'], id: string, principal: Principal): Promise<Schedule> {
  const schedule = await getSchedule(store, id);
  if (schedule !== undefined && reaches(principal, schedule.workflow)) return schedule;
  const message = `There is no schedule ${JSON.stringify(id.slice(0, 80))}.`;
  throw new ProblemError('not-found', `${message}${await ofWorkflow(store, id, principal)}`);
}

/** For who gave the name of a workflow: what its schedules are called. */
async function ofWorkflow(store: ScheduleOptions['store'], id: string, principal: Principal): Promise<string> {
  if (!WorkflowName.safeParse(id).success || !reaches(principal, id)) return '';
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

function shown(schedule: Schedule, nowMs: number): z.infer<typeof Summary> {
  const { id, workflow, version, cron, timezone, overlap, catchUp, paused } = schedule;
  const next = nextOf(schedule, nowMs);
  const held = paused === undefined ? {} : { pausedAt: instant(paused.at), pausedBy: paused.by };
  return { id, workflow, version, cron, timezone, overlap, catchUp, paused: paused !== undefined, ...held, next };
}

function shownFiring(firing: Firing): z.infer<typeof Fired> {
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

/** Operations of schedules: look at them, pause, resume, trigger, backfill. */
import { type Backfill, backfillMax, instant, ProblemError, routes, WorkflowNameSchema } from '@baton/api';
import { instantsAfter } from '@baton/language';
import {
  type Schedule,
  auditSchedule,
  getSchedule as readSchedule,
  lastRefusals,
  listFirings,
  listSchedules as readSchedules,
  pauseSchedule as holdSchedule,
  queueFirings,
  resumeSchedule as releaseSchedule,
} from '@baton/store';

import { checkEffectsOf } from '../keys/effects.ts';
import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { type FiringOptions, scheduledInputs } from '../schedules/firing.ts';
import { nextTimes, shownSchedule } from '../schedules/shownSchedule.ts';
import type { Ticker } from '../schedules/ticker.ts';
import { operation } from './operation.ts';
import type { PageInput } from './page.ts';
import { type ById, allReached } from './reach.ts';

export interface ScheduleOptions extends FiringOptions {
  readonly ticker: Pick<Ticker, 'storeNewSchedules' | 'tick'>;
}

const namedMax = 3;
const firingsMax = 20;

/** A page, ordered by id. */
export const listSchedules = operation(routes.listSchedules, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async (
    { store, clock, ticker }: ScheduleOptions,
    caller,
    { workflow, ...page }: PageInput & { readonly workflow?: string | undefined },
  ) => {
    await ticker.storeNewSchedules();
    const { schedules, next } = await readSchedules(store, { workflow, workflows: reachOf(caller) }, page);
    const ids = schedules.map(({ id }) => id);
    const refused = await lastRefusals(store, ids);
    return { data: schedules.map((one) => shownSchedule(one, clock.now(), refused.get(one.id))), next };
  },
});

/** With its newest instants. */
export const getSchedule = operation(routes.getSchedule, {
  values: 'none',
  reach: (parts: ScheduleOptions, caller, input: ById) => newestSchedule(parts, caller, input),
  effects: 'none',
  perform: async ({ store, clock }, _caller, _input, schedule) => {
    const firings = await listFirings(store, schedule.id, firingsMax);
    const refused = (await lastRefusals(store, [schedule.id])).get(schedule.id);
    return { schedule: shownSchedule(schedule, clock.now(), refused), firings };
  },
});

export const pauseSchedule = operation(routes.pauseSchedule, {
  values: 'none',
  reach: (parts: ScheduleOptions, caller, input: ById) => newestSchedule(parts, caller, input),
  effects: 'none',
  perform: async (parts, caller, input, { id }) => {
    await holdSchedule(parts.store, id, caller.by);
    return shownSchedule(await storedSchedule(parts, caller, input), parts.clock.now());
  },
});

export const resumeSchedule = operation(routes.resumeSchedule, {
  values: 'none',
  reach: (parts: ScheduleOptions, caller, input: ById) => storedSchedule(parts, caller, input),
  effects: checkMayStart,
  perform: async (parts, caller, input, schedule) => {
    const { store, clock } = parts;
    const [nextAt] = instantsAfter(schedule, clock.now()).take(1);
    await releaseSchedule(store, schedule.id, { nextAt, by: caller.by });
    return shownSchedule(await storedSchedule(parts, caller, input), clock.now());
  },
});

/** Starts an extra run. */
export const triggerSchedule = operation(routes.triggerSchedule, {
  values: 'none',
  reach: (parts: ScheduleOptions, caller, input: ById) => newestSchedule(parts, caller, input),
  effects: 'by-start',
  perform: async (parts, principal, _input, schedule) => {
    const { store, clock, starter } = parts;
    const { by } = principal;
    const { id, workflow, version } = schedule;
    const detail = { schedule: id, instant: instant(clock.now()), manual: true };
    const inputs = await scheduledInputs(parts, schedule, detail);
    const order = { inputs, principal, trigger: { kind: 'schedule', detail } } as const;
    const { runId } = await starter.start({ workflow, version }, order);
    await auditSchedule(store, { action: 'schedule.triggered', by, id, detail: { runId } });
    return { runId, next: nextTimes(schedule, clock.now()) };
  },
});

/** Queues the times of a range that has passed; a preview only lists them. */
export const backfillSchedule = operation(routes.backfillSchedule, {
  values: 'none',
  reach: (parts: ScheduleOptions, caller, input: ById & { readonly range: Backfill }) =>
    newestSchedule(parts, caller, input),
  // A preview causes nothing.
  effects: async (parts, caller, schedule, { range }) => {
    if (range.preview !== true) await checkMayStart(parts, caller, schedule);
  },
  perform: async (parts, caller, { range }, schedule) => {
    const { store, clock } = parts;
    const { id } = schedule;
    const instants = instantsIn(schedule, range, clock.now());
    const answer = { instants: instants.map(instant), next: nextTimes(schedule, clock.now()) };
    if (range.preview === true) return { ...answer, queued: [], preview: true };
    const queued = await queueFirings(store, id, { instants, by: caller.by });
    const detail = { from: instant(range.from), to: instant(range.to), instants: queued.length };
    await auditSchedule(store, { action: 'schedule.backfilled', by: caller.by, id, detail });
    return { ...answer, queued: queued.map(instant), preview: false };
  },
});

/** Its runs would do what the key itself may not. */
async function checkMayStart({ store, plans }: ScheduleOptions, caller: Principal, schedule: Schedule): Promise<void> {
  const version = await store.findVersion(schedule);
  if (version !== undefined) await checkEffectsOf(caller, plans, version.definition);
}

/** Also one of a workflow that was deployed a moment ago. */
async function newestSchedule(parts: ScheduleOptions, caller: Principal, input: ById): Promise<Schedule> {
  await parts.ticker.storeNewSchedules();
  return storedSchedule(parts, caller, input);
}

async function storedSchedule({ store }: ScheduleOptions, caller: Principal, { id }: ById): Promise<Schedule> {
  const schedule = await readSchedule(store, id);
  if (schedule !== undefined && maySee(caller, schedule.workflow)) return schedule;
  const message = `There is no schedule ${JSON.stringify(id.slice(0, 80))}.`;
  throw new ProblemError('not-found', `${message}${await schedulesOfWorkflow(store, caller, id)}`);
}

/** A hint for a client that gave the name of a workflow: the names of its schedules. */
async function schedulesOfWorkflow(store: ScheduleOptions['store'], caller: Principal, id: string): Promise<string> {
  if (!WorkflowNameSchema.safeParse(id).success || !maySee(caller, id)) return '';
  const { schedules } = await readSchedules(store, { workflows: [id] }, { limit: namedMax });
  return schedules.length === 0 ? '' : ` Did you mean ${schedules.map((one) => JSON.stringify(one.id)).join(' or ')}?`;
}

/** Throws `ProblemError`. */
function instantsIn(schedule: Schedule, { from, to }: Backfill, nowMs: number): readonly number[] {
  const wrong = (pointer: string, message: string): ProblemError =>
    new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });
  if (to > nowMs)
    throw wrong(
      '/to',
      'A backfill covers past times only: "to" must not be in the future, and a date lasts until its end in UTC.',
    );
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

/** What people and agents do with a schedule: look at it, pause it, resume it, run it now. */
import { type Schedule as ScheduleAnswer, instant, ProblemError, WorkflowNameSchema } from '@baton/api';
import { instantsAfter } from '@baton/language';
import {
  type Schedule,
  auditSchedule,
  confirmHistory,
  getSchedule,
  historyName,
  lastRefusals,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
} from '@baton/store';

import { checkEffectsOf } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { type FiringOptions, scheduledInputs } from './firing.ts';
import { nextTimes, shownSchedule } from './shownSchedule.ts';
import type { Ticker } from './ticker.ts';

export interface ScheduleOptions extends FiringOptions {
  readonly ticker: Pick<Ticker, 'storeNewSchedules' | 'tick'>;
}

const namedMax = 3;
const pageMax = 100;

/** Those that the key may see, ordered by id. */
export async function listedSchedules(
  { store, clock, ticker }: ScheduleOptions,
  principal: Principal,
  {
    workflow,
    ...page
  }: { readonly workflow?: string | undefined; readonly limit: number; readonly after?: string | undefined },
): Promise<{ readonly data: ScheduleAnswer[]; readonly next: string | undefined }> {
  await ticker.storeNewSchedules();
  const reached = principal.workflows && [...principal.workflows];
  const workflows = workflow === undefined ? reached : (reached ?? [workflow]).filter((one) => one === workflow);
  const { schedules, next } = await listSchedules(store, { workflows }, page);
  const ids = schedules.map(({ id }) => id);
  const refused = await lastRefusals(store, ids);
  return { data: schedules.map((one) => shownSchedule(one, clock.now(), refused.get(one.id))), next };
}

/** Rejects with `ProblemError`, as the others do. */
export async function pauseNow(options: ScheduleOptions, id: string, principal: Principal): Promise<ScheduleAnswer> {
  const { store, clock, ticker } = options;
  await ticker.storeNewSchedules();
  const schedule = await findSchedule(store, id, principal);
  await pauseSchedule(store, schedule.id, principal.by);
  return shownSchedule(await findSchedule(store, id, principal), clock.now());
}

export async function resumeNow(options: ScheduleOptions, id: string, principal: Principal): Promise<ScheduleAnswer> {
  const { store, clock } = options;
  const schedule = await findSchedule(store, id, principal);
  await checkMayStart(options, schedule, principal);
  const [nextAt] = instantsAfter(schedule, clock.now()).take(1);
  await resumeSchedule(store, schedule.id, { nextAt, by: principal.by });
  return shownSchedule(await findSchedule(store, id, principal), clock.now());
}

/** Resumes the schedules that were paused because Postgres went back in time, and notes that a person knows of it. */
export async function confirmNow(
  { store, clock }: Pick<ScheduleOptions, 'store' | 'clock'>,
  { by }: Principal,
): Promise<{ resumed: string[] }> {
  await store.history.look();
  const resumed: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const { schedules, next }: Awaited<ReturnType<typeof listSchedules>> = await listSchedules(
      store,
      {},
      { limit: pageMax, after },
    );
    for (const schedule of schedules.filter(({ paused }) => paused?.by === historyName)) {
      const [nextAt] = instantsAfter(schedule, clock.now()).take(1);
      if (await resumeSchedule(store, schedule.id, { nextAt, by })) resumed.push(schedule.id);
    }
    after = next;
  }
  if (store.history.warning() !== undefined) await confirmHistory(store, by);
  await store.history.look();
  return { resumed };
}

/** Starts an extra run. */
export async function triggerNow(
  options: ScheduleOptions,
  wanted: string,
  principal: Principal,
): Promise<{ readonly runId: string; readonly next: string[] }> {
  const { store, clock, starter, ticker } = options;
  await ticker.storeNewSchedules();
  const schedule = await findSchedule(store, wanted, principal);
  const { id, workflow, version } = schedule;
  const detail = { schedule: id, instant: instant(clock.now()), manual: true };
  const inputs = await scheduledInputs(options, schedule, detail);
  const order = { inputs, by: principal.by, principal, trigger: { kind: 'schedule', detail } } as const;
  const { runId } = await starter.start({ workflow, version }, order);
  await auditSchedule(store, { action: 'schedule.triggered', by: principal.by, id, detail: { runId } });
  return { runId, next: nextTimes(schedule, clock.now()) };
}

export async function checkMayStart(
  { store, plans }: ScheduleOptions,
  schedule: Schedule,
  principal: Principal,
): Promise<void> {
  const version = await store.findVersion(schedule);
  if (version !== undefined) await checkEffectsOf(principal, plans, version.definition);
}

export async function findSchedule(
  store: ScheduleOptions['store'],
  id: string,
  principal: Principal,
): Promise<Schedule> {
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

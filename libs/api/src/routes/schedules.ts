import { route } from '../route.ts';
import {
  BackfilledSchema,
  backfillMax,
  BackfillSchema,
  ScheduleDetailSchema,
  ScheduleFilterSchema,
  ScheduleSchema,
  TriggeredScheduleSchema,
} from '../schemas/schedule.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Schedules';
const reading = ['runs:read', 'runs:write', 'workflows:write'] as const satisfies Access;
const holding = ['workflows:write', 'runs:write'] as const satisfies Access;
const starting = ['runs:write'] as const satisfies Access;

export const scheduleRoutes = {
  listSchedules: route('listSchedules', {
    tag,
    summary: 'List schedules',
    description: 'Ordered by id: the schedules of the newest versions of deployed workflows.',
    access: reading,
    query: ScheduleFilterSchema,
    answers: { 200: pageOf(ScheduleSchema) },
  }),
  getSchedule: route('getSchedule', {
    tag,
    summary: 'Show a schedule and its latest firings',
    access: reading,
    params: ByIdSchema,
    answers: { 200: ScheduleDetailSchema },
  }),
  pauseSchedule: route('pauseSchedule', {
    tag,
    summary: 'Pause a schedule',
    description: 'Missed runs are not started later; use a backfill for them.',
    access: holding,
    params: ByIdSchema,
    answers: { 200: ScheduleSchema },
  }),
  resumeSchedule: route('resumeSchedule', {
    tag,
    summary: 'Resume a paused schedule',
    access: holding,
    params: ByIdSchema,
    answers: { 200: ScheduleSchema },
  }),
  triggerSchedule: route('triggerSchedule', {
    tag,
    summary: 'Run a schedule now',
    description: 'Starts an extra run, even if the schedule is paused or another of its runs is unfinished.',
    access: starting,
    params: ByIdSchema,
    answers: { 202: TriggeredScheduleSchema },
  }),
  backfillSchedule: route('backfillSchedule', {
    tag,
    summary: 'Run missed times',
    description: `At most ${backfillMax} times per request. A time that fired before does not fire again. The runs follow each other, unless runs of the schedule may overlap.`,
    access: starting,
    params: ByIdSchema,
    body: BackfillSchema,
    answers: { 200: BackfilledSchema },
  }),
};

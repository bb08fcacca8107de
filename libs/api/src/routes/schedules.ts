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
const reading: Access = ['runs:read', 'runs:write', 'workflows:write'];
const holding: Access = ['workflows:write', 'runs:write'];
const starting: Access = ['runs:write'];

export const scheduleRoutes = {
  listSchedules: route('listSchedules', {
    tag,
    summary: 'List schedules',
    description: 'By their ids. They are what the newest versions of the deployed workflows say.',
    access: reading,
    query: ScheduleFilterSchema,
    answers: { 200: pageOf(ScheduleSchema) },
  }),
  getSchedule: route('getSchedule', {
    tag,
    summary: 'Show a schedule, and what it did',
    access: reading,
    params: ByIdSchema,
    answers: { 200: ScheduleDetailSchema },
  }),
  pauseSchedule: route('pauseSchedule', {
    tag,
    summary: 'Pause a schedule',
    description: 'What would have been while it is paused is not made up for, but with a backfill.',
    access: holding,
    params: ByIdSchema,
    answers: { 200: ScheduleSchema },
  }),
  resumeSchedule: route('resumeSchedule', {
    tag,
    summary: 'Let a schedule go on',
    access: holding,
    params: ByIdSchema,
    answers: { 200: ScheduleSchema },
  }),
  triggerSchedule: route('triggerSchedule', {
    tag,
    summary: 'Have a schedule fire now',
    description: 'Beside its instants, whether it is paused or not, and whatever else of it is going on.',
    access: starting,
    params: ByIdSchema,
    answers: { 202: TriggeredScheduleSchema },
  }),
  backfillSchedule: route('backfillSchedule', {
    tag,
    summary: 'Make up for instants of the past',
    description: `At most ${backfillMax} at once. An instant that fired before does not fire again; unless runs of the schedule may overlap, they follow each other.`,
    access: starting,
    params: ByIdSchema,
    body: BackfillSchema,
    answers: { 200: BackfilledSchema },
  }),
};

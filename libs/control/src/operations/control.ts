/** The operations of the contract that every face binds, by their names. */
import type { routes } from '@baton/api';

import { getFence, liftFence } from './fence.ts';
import { answerQuestion, getQuestion } from './questions.ts';
import {
  cancelRun,
  evaluateRun,
  getRun,
  getRunValue,
  learnFromRun,
  listRunEvents,
  listRuns,
  rerunRun,
  retryRun,
  signalRun,
} from './runs.ts';
import {
  backfillSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
} from './schedules.ts';
import {
  deleteWorkflow,
  getWorkflow,
  getWorkflowVersion,
  listWorkflows,
  pauseWorkflow,
  resumeWorkflow,
} from './workflows.ts';

export const control = {
  listWorkflows,
  getWorkflow,
  getWorkflowVersion,
  deleteWorkflow,
  pauseWorkflow,
  resumeWorkflow,
  listRuns,
  getRun,
  getRunValue,
  listRunEvents,
  cancelRun,
  retryRun,
  rerunRun,
  evaluateRun,
  learnFromRun,
  signalRun,
  getQuestion,
  answerQuestion,
  listSchedules,
  getSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  backfillSchedule,
  getFence,
  liftFence,
} as const satisfies { readonly [Name in keyof typeof routes]?: { readonly route: (typeof routes)[Name] } };

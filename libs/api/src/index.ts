/**
 * The REST contract: requests and answers of Baton over HTTP.
 *
 * Schemas of requests and answers, problems, routes as data, the OpenAPI document made from them, and (as
 * `@baton/api/client`) a client over `fetch`. The orchestrator serves these routes and no others. This room uses no
 * server, no database and nothing of Node: it runs in browsers too, and the client runs without the schemas.
 *
 * Folders, lowest first: schemas, routes, client.
 */
export { apiLimits } from './apiLimits.ts';
export { type DocumentParameter, openApiDocument } from './openapi.ts';
export { hasNameInPath, nameInPath } from './nameInPath.ts';
export { problemBody, ProblemError, problems, problemType, type Problem, type ProblemCode } from './problems.ts';
export type { AnswerOf, Received, Route } from './route.ts';
export { routes } from './routes.ts';
export { auditedActions, type AuditedAction } from './schemas/auditedActions.ts';
export type { AuditCall, AuditEntry } from './schemas/audit.ts';
export { clientChoices } from './schemas/client.ts';
export type { ClientChoice, ConnectedClient, Consent } from './schemas/client.ts';
export type { Costs } from './schemas/cost.ts';
export { PositionSchema, type FeedEvent } from './schemas/event.ts';
export type { Key } from './schemas/key.ts';
export { NewGrantSchema, RoleNameSchema } from './schemas/person.ts';
export type { Grant, Person } from './schemas/person.ts';
export { limitUsual } from './schemas/parameters.ts';
export type { ProblemDetail } from './schemas/problem.ts';
export { HookSchema, type Hook } from './schemas/hook.ts';
export type { Fence } from './schemas/fence.ts';
export type { Setting, Worker } from './schemas/system.ts';
export { QuestionSchema, type Question } from './schemas/question.ts';
export { UndoResultSchema, type UndoResult } from './schemas/undo.ts';
export {
  RerunRequestSchema,
  RerunResultSchema,
  RetryRequestSchema,
  ToldOutcomeSchema,
  type RerunResult,
} from './schemas/rerun.ts';
export type { LearnedWorkflow } from './schemas/learn.ts';
export { RunSchema } from './schemas/run.ts';
export type { UnknownCall, UnknownOutcomes } from './schemas/unknownOutcome.ts';
export type {
  FailureCauses,
  ManyRuns,
  Run,
  RunFilterQuery,
  RunInList,
  SaidOutcome,
  Step,
  StepProgress,
} from './schemas/run.ts';
export { runStatuses } from './schemas/runFilter.ts';
export type { Poll, PollReset } from './schemas/poll.ts';
export { backfillMax, ScheduleSchema } from './schemas/schedule.ts';
export type { Backfill, Firing, Schedule, ScheduleChange } from './schemas/schedule.ts';
export type { StateValue, StateWrite } from './schemas/state.ts';
export { scheduleChangeText } from './scheduleChangeText.ts';
export { budgetNameForm, type Budget } from './schemas/budget.ts';
export { secretNameForm, type Secret } from './schemas/secret.ts';
export { type Caller, sessionCookie, type Session } from './schemas/session.ts';
export type { AwaitedLogin, Server, ServerLogin, ServerLogout, ServerStats, Tool } from './schemas/server.ts';
export type { AcceptedRun, AnyRunRequest, EndedRun, RunRequest } from './schemas/startRun.ts';
export { EffectSchema, instant, WorkflowNameSchema, type Finding } from './schemas/values.ts';
export type { WorkflowInList, WorkflowVersion } from './schemas/workflow.ts';
export { builtInRoles, grantFault, type RoleTable } from './roles.ts';
export { roleScopes, scopes, type Access, type RoleScope, type Scope } from './scopes.ts';

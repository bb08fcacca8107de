/**
 * The client of the API, over `fetch`: for programs, the command line and the page.
 *
 * It runs in Node, Bun, Deno, edge runtimes and browsers. It uses the types of the contract and its table of addresses;
 * it loads no schemas, and does not validate answers. It retries only requests that are safe to repeat, with an
 * idempotency key if they need one.
 */
export { askedCallOf, type AskedCall } from './askedCall.ts';
export { createClient, type Client } from './createClient.ts';
export type { AnswerTo, BodyOf, CallOptions, KeyedOptions, QueryOf } from './call.ts';
export type { Answer, ConnectionOptions, RequestOptions } from './connection.ts';
export type { ConnectionState, FollowedEvent, FollowOptions } from './followRun.ts';
export type { StartOptions } from './runs.ts';
export { nameFromPath, nameInPath } from '../nameInPath.ts';
export { readProblem } from './readProblem.ts';
export { UnreachableError } from './unreachable.ts';
export { ProblemError, type ProblemCode } from '../problems.ts';
export type { ProblemDetail } from '../schemas/problem.ts';
export type { LearnedWorkflow } from '../schemas/learn.ts';
export type { LeftWrite, UndoCall, UndoResult } from '../schemas/undo.ts';
export type { RepeatedCall, RerunResult } from '../schemas/rerun.ts';
export type {
  Attempt,
  FailureCause,
  FailureCauses,
  Histogram,
  ManyRuns,
  Run,
  RunInList,
  Step,
  WorkflowStats,
} from '../schemas/run.ts';
export {
  type RunFilterName,
  callOutcomes,
  effects,
  runFilterNames,
  runFilters,
  runStatuses,
  triggerKinds,
} from '../schemas/runFilter.ts';
export type { LostAnswers, UnknownCall, UnknownOutcomes } from '../schemas/unknownOutcome.ts';
export type {
  Approvals,
  AwaitedLogin,
  Server,
  ServerSight,
  ServerStats,
  TestedServer,
  Tool,
} from '../schemas/server.ts';
export type { AcceptedRun, EndedRun } from '../schemas/startRun.ts';
export type { Budget } from '../schemas/budget.ts';
export type { Cost, Costs } from '../schemas/cost.ts';
export type { AuditCall, AuditEntry } from '../schemas/audit.ts';
export { auditedActions } from '../schemas/auditedActions.ts';
export { scopes } from '../scopes.ts';
export type { Key } from '../schemas/key.ts';
export type { Grant, Person, Role } from '../schemas/person.ts';
export type { Hook } from '../schemas/hook.ts';
export type { Fence } from '../schemas/fence.ts';
export type { Queue, Setting, Worker } from '../schemas/system.ts';
export type { Question } from '../schemas/question.ts';
export type { Poll } from '../schemas/poll.ts';
export type { StateValue, StateWrite } from '../schemas/state.ts';
export type { Schedule, ScheduleChange } from '../schemas/schedule.ts';
export { keyLimitsText } from '../keyLimitsText.ts';
export { scheduleChangeText } from '../scheduleChangeText.ts';
export type { ConnectedClient, Consent } from '../schemas/client.ts';
export type { Caller, Session, SessionInList } from '../schemas/session.ts';
export type { Secret } from '../schemas/secret.ts';
export type { Finding } from '../schemas/values.ts';
export type { CheckResult, Deployed, Workflow, WorkflowInList, WorkflowVersion } from '../schemas/workflow.ts';

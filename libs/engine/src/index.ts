/**
 * The engine folds a run's events and decides what follows from them.
 *
 *   evolve(run, event)               what an event changes
 *   decide(plan, run, now, blobs)    which events and commands follow
 *   judge(plan, run, report)         what the end of a call means
 *
 * All pure (invariant I4): no `await`, no randomness, and time is an argument. `decide` asks its caller now and then
 * whether to continue, so that a long decision can yield; the events are the same in the end. Where a value is not
 * loaded, these functions throw `BlobsNeeded`: load it and call again. Replaying a journal runs `evolve` alone, so
 * `decide` may change in any release. The engine does no I/O; libs/runner does.
 *
 * Folders, lowest first: state, decide, play, rerun, say.
 */
export { begin, evolve, replay } from './state/evolve.ts';
export { judge, type AttemptReport } from './decide/judge.ts';
export { settle, valueIn, type SettledRun } from './decide/settle.ts';
export type { Command } from './decide/decision.ts';
export { type CallTurn, type CallTurns, pacedName, serverOf } from './decide/callTurns.ts';
export type {
  CancelCause,
  WaitCondition,
  Call,
  EventOf,
  KeptChild,
  ToldOutcome,
  LostInterval,
  Parent,
  Question,
  RunEvent,
  RunLimits,
  RunPerson,
  Trigger,
  Usage,
} from './state/event.ts';
export {
  failureCodes,
  FailureError,
  lostAnswerIn,
  notVerified,
  type Delivery,
  type Failure,
  type FailureCode,
  type LostAnswer,
} from './failure.ts';
export { invariant, InvariantError } from './invariant.ts';
export { argumentsFailure, argumentsFailureAt } from './decide/argumentsFailure.ts';
export { callOf } from './decide/begin.ts';
export { carryOutcomes, nothingCarried, startedPaths, withStateSeen } from './rerun/carriedOutcomes.ts';
export type { CarriedOutcomes, CarryOptions, ChildIds, KeptChildRun } from './rerun/carriedOutcomes.ts';
export { intentsOf, type Intents } from './rerun/pastSteps.ts';
export type { Lookup } from './rerun/lookup.ts';
export { carryToVersion } from './rerun/carryToVersion.ts';
export { pastWrites, type PastWrite } from './rerun/pastWrites.ts';
export { hasPlaceIn, movedWrites, writesWithoutPlace, type HasPlace } from './rerun/movedWrites.ts';
export { openSteps, type OpenCall } from './rerun/openCalls.ts';
export { stateKeysOf } from './state/runState.ts';
export { likelier, repeatedCalls, writesFirst, type LastCall, type RepeatedCall } from './rerun/repeatedCalls.ts';
export { play, playOn, type CallResult, type SimulatedCall, type SimulatedRun, type PlayOptions } from './play/play.ts';
export { checkProgress } from './state/checkFrame.ts';
export { calledName, targetOfCall } from './state/calledName.ts';
export { shownEffectOf } from './state/shownEffectOf.ts';
export {
  readsState,
  stateAfter,
  stateAtStart,
  stateChanged,
  stateSeen,
  stateWritesIn,
  tooLargeState,
  unfitWrite,
  type StateWrite,
  type StoredState,
} from './state/runState.ts';
export { asEnsured, ensuredIn, type Ensured } from './state/ensured.ts';
export { evaluateAt } from './state/evaluateAt.ts';
export { chargedCall, type ChargedCall } from './state/chargedCalls.ts';
export { hasSideEffects } from './state/hasSideEffects.ts';
export { toolsReadSince } from './state/toolsReadSince.ts';
export { findStep, placeAt, stateAt, stepAt, stepFor } from './state/locate.ts';
export { inputsOfItem, partAt, planFor } from './state/part.ts';
export { readersOf } from './state/readers.ts';
export type { DefinitionPart } from './state/definitionPart.ts';
export { approvalKey } from './state/sessionSteps.ts';
export type { GatewaySession, SessionCall } from './state/session.ts';
export type { SessionCheck, SessionTarget } from './state/sessionTarget.ts';
export type { Path } from './state/path.ts';
export { isEnded } from './state/run.ts';
export type { Run, RunningRun, RunStatus, Signal, UnfinishedRun } from './state/run.ts';
export { changedRow, rowOf, type RunRow } from './state/row.ts';
export type { Spending } from './state/spending.ts';
export { isTokenCount, itemsLeft } from './state/spent.ts';
export { stepMoves, type StepState, type StepStatus } from './state/step.ts';
export { BlobsNeeded, positionIn, resolve, type Blobs, type Value } from './state/value.ts';
export { possibleCalls } from './say/possibleCalls.ts';
export { causeOf, causeOfFailure, type Cause } from './say/causeOf.ts';
export { failureHint } from './say/failureHint.ts';
export {
  countText,
  excerpt,
  foundOutWords,
  isControl,
  isFoundOut,
  keptText,
  runSentence,
  saidSentence,
  sentenceInput,
  waitSentence,
} from './say/runSentence.ts';
export type { AwaitedTurn } from './say/runSentence.ts';
export { undoWords, type UndoEnd } from './state/undoEnd.ts';
export { saidIn, type SaidOutcome } from './state/saidOutcome.ts';
export { letsItemsFail, Trace, type TracedAttempt, type TracedStep } from './state/trace.ts';
export { requestedTurn, turnOf, type RequestedTurn, type Turn } from './decide/turn.ts';
export { valueView } from './state/view.ts';

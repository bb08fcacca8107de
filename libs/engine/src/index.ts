/**
 * The engine: what has happened, and what follows.
 *
 *   evolve(run, event)               what a fact changes
 *   decide(plan, run, now, blobs)    which facts and commands follow
 *   judge(plan, run, report)         what the end of a call means
 *
 * All pure (invariant I4). There is no `await` in this library, no clock and no randomness; time comes in as an
 * argument. Replaying a journal runs `evolve` alone, so `decide` may change in any release. Everything that touches
 * the world lives in libs/runner, which is short because this library is not.
 */
export { begin, evolve, replay } from './evolve.ts';
export { decide } from './decide.ts';
export { judge } from './judge.ts';
export { settle, valueIn } from './settle.ts';
export type { Settled, Surroundings } from './settle.ts';
export type { Report } from './judge.ts';
export type { Command, Decision } from './decision.ts';
export type { Awaiting, Call, EventOf, Parent, Question, RunEvent, RunEventType, Trigger, Usage } from './event.ts';
export { failureCodes, FailureError } from './failure.ts';
export type { Delivery, Failure, FailureCode } from './failure.ts';
export { invariant, InvariantError } from './invariant.ts';
export { callOf } from './begin.ts';
export { begunPaths, keepOutcomes } from './kept.ts';
export type { Kept, RepeatedCall } from './kept.ts';
export { play, playOn } from './play.ts';
export type { Ending, Made, Played, PlayOptions } from './play.ts';
export { placeAt, stateAt, stepAt } from './locate.ts';
export { maskOf } from './place.ts';
export { partAt, planFor } from './part.ts';
export type { Part } from './part.ts';
export type { Path } from './path.ts';
export type { Run, RunStatus, Signal } from './run.ts';
export type { Spent } from './spent.ts';
export { runMoves } from './run.ts';
export { stepMoves } from './step.ts';
export type { StepState, StepStatus } from './step.ts';
export { BlobsNeeded, positionIn, resolve } from './value.ts';
export type { BlobRef, Blobs, Value } from './value.ts';
export { Trace } from './trace.ts';
export type { TracedAttempt, TracedStep } from './trace.ts';
export { turnOf } from './turn.ts';
export type { Turn } from './turn.ts';
export { valueView, viewOf } from './view.ts';

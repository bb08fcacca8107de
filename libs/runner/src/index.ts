/**
 * The runner drives one run from its journal to its end or its next wait, and owns the ports that it needs for that.
 *
 * It performs what the engine decides and records what happened. It never holds the truth: when it is killed at any
 * await, another runner continues from the journal.
 */
export type { RunAdmission } from './admission.ts';
export { advance, advanceUnlessForged } from './advance.ts';
export type { AdvancedRun } from './advance.ts';
export { bellAheadMs } from './bell.ts';
export type { Bell, BellListener, OnBell, Ring } from './bell.ts';
export { BlobCache } from './blobCache.ts';
export type { Bus, HintScope, Hint, Urgency } from './bus.ts';
export type { CallContext, CallResult, Calls, Models, Progress, SessionUse } from './calls.ts';
export { callTimeout } from './callTimeout.ts';
export { tellParent } from './childEnds.ts';
export { systemClock } from './clock.ts';
export type { ToldTime } from './sharedClock.ts';
export { SharedClock } from './sharedClock.ts';
export type { Clock } from './clock.ts';
export type { DriveOutcome } from './driveMoves.ts';
export type { LeaveMode } from './driver.ts';
export { RunCount } from './runCount.ts';
export type { RunCountOptions } from './runCount.ts';
export { RunDrivers } from './runDrivers.ts';
export { HintListeners } from './hintListeners.ts';
export { inTurns } from './inTurns.ts';
export { liveness } from './liveness.ts';
export { HintOutbox } from './hintOutbox.ts';
export { ConflictError, UnavailableError } from './journal.ts';
export type { Append, BlobStore, Journal, JournalForgery, NewBlob, OpenRun, RunLog } from './journal.ts';
export { BlobOffloader } from './blobOffloader.ts';
export { ForgedJournalError } from './forgedJournal.ts';
export type { Children, ChildState, Fence, Plans, Ports, Secrets, Workers } from './ports.ts';
export { redactor } from './redact/redactor.ts';
export { KnownSecrets } from './redact/knownSecrets.ts';
export type { Redactor } from './redact/redactor.ts';
export { requested } from './requested.ts';
export type { RunOrder } from './requested.ts';
export type { ServerGroup } from './serverGroup.ts';
export { cancelled, reasonOf, workerLost } from './stoppedCall.ts';
export type { Turns, TurnTaken } from './ports.ts';
export { withLoadedValues } from './withLoadedValues.ts';

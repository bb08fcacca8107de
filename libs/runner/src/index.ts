/**
 * The runner drives one run from its journal to its end or its next wait, and owns the ports that it needs for that.
 *
 * It performs what the engine decides and records what happened. It never holds the truth: when it is killed at any
 * await, another runner continues from the journal.
 *
 * `ports` declares what the runner needs. `drive` takes a run from step to step, `call` makes calls, `record` writes
 * events. `sharing` decides whose run is next (docs/fairness.md), `values` stores large values as blobs, `secrets`
 * reveals secrets for the uses that they are bound to, `redact` hides them, `hints` announces new events.
 *
 * Folders, lowest first: redact, ports, secrets, sharing, values, record, call, drive, hints, rerun.
 */
export type { RunAdmission } from './ports/admission.ts';
export { advance, advanceUnlessForged } from './record/advance.ts';
export { BackgroundTask, growingMs } from './backgroundTask.ts';
export { RowTroubles, type TaskTrouble } from './rowTroubles.ts';
export { bellAheadMs, type Bell, type BellListener, type BellHandler, type Ring } from './ports/bell.ts';
export { BlobCache } from './values/blobCache.ts';
export type { Bus, HintScope, Hint, Urgency } from './ports/bus.ts';
export type { ChannelName, Channels } from './ports/channels.ts';
export type { CallBudgets } from './ports/callBudgets.ts';
export { LoginPace } from './sharing/loginPace.ts';
export { type CallPace, MissedTurnError, type PacedCall, turnOf } from './ports/callPace.ts';
export type { Meter, Meters, MeterTurn } from './ports/meters.ts';
export { ServerRates } from './sharing/serverRates.ts';
export { isWithoutLogin, withoutLogin } from './ports/calls.ts';
export type { CallContext, CallResult, Calls, Models, Progress, SessionUse } from './ports/calls.ts';
export { callTimeout } from './call/callTimeout.ts';
export { notifyParentOf } from './drive/childEnds.ts';
export { systemClock, type Clock } from './ports/clock.ts';
export { SharedClock, type TimeReading } from './sharedClock.ts';
export { RunCount, type RunCountOptions } from './sharing/runCount.ts';
export { type BeginningRun, RunDrivers } from './drive/runDrivers.ts';
export { RunOffers } from './sharing/runOffers.ts';
export { BellPace } from './sharing/bellPace.ts';
export { Crowding } from './sharing/crowding.ts';
export { EarlyBell } from './sharing/earlyBell.ts';
export { FairStarts } from './sharing/fairStarts.ts';
export { RecentActivity } from './sharing/recentActivity.ts';
export { ServedCallers } from './sharing/servedCallers.ts';
export { Slices } from './sharing/slices.ts';
export { StartOffers } from './sharing/startOffers.ts';
export { WaitingRunPoll } from './sharing/waitingRunPoll.ts';
export type { FairShare, NeglectedRun, WaitingRuns } from './sharing/waitingRuns.ts';
export { HintListeners } from './hints/hintListeners.ts';
export { runWithYields } from './runWithYields.ts';
export { TimedYields } from './timedYields.ts';
export { liveness } from './ports/liveness.ts';
export { HintOutbox } from './hints/hintOutbox.ts';
export { StoredHere } from './hints/storedHere.ts';
export { Home, type Place, type Places } from './drive/home.ts';
export { ConflictError, StateRefusedError, UnavailableError, unavailableIn } from './ports/journal.ts';
export type { Append, BlobStore, Journal, JournalForgery, NewBlob, OpenRun, RunLog } from './ports/journal.ts';
export type { KeySpace, KeyValue, KeyValues } from './ports/keyValues.ts';
export { type StateOwner, type StateSource, stateOwner } from './ports/stateSource.ts';
export { BlobOffloader } from './values/blobOffloader.ts';
export { ForgedJournalError } from './record/forgedJournal.ts';
export { openRun } from './record/openRun.ts';
export { trustedEvents } from './record/trustedEvents.ts';
export type { Ports } from './drivePorts.ts';
export type { Children, ChildState, Fence, Plans, Turns, TurnState } from './ports/ports.ts';
export { secretMark } from './redact/redactor.ts';
export { KnownSecrets } from './redact/knownSecrets.ts';
export { goOn, type GoOnTarget } from './rerun/goOn.ts';
export { intentsBefore, pastRun, withChildren, type PastRun, type PastRuns } from './rerun/pastRun.ts';
export { callsInTree, type CallsInTree } from './rerun/callsInTree.ts';
export { requested, type RunOrder } from './record/requested.ts';
export type { ServerGroup } from './ports/serverGroup.ts';
export type {
  RevealedSecret,
  SecretList,
  SecretPage,
  SecretSource,
  SecretSummary,
  SecretWatch,
} from './ports/secretSource.ts';
export { type DeployedHook, type DeployedSecretUses, type HookSecret, BoundSecrets } from './secrets/boundSecrets.ts';
export { cancelled, reasonOf, workerLost } from './call/stoppedCall.ts';
export { UnsavedValues } from './values/unsavedValues.ts';
export { withLoadedValues } from './values/withLoadedValues.ts';

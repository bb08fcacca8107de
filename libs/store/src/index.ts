/**
 * The store: Postgres, which is the truth (I1). What a model of one table can say goes through Prisma's client; what is
 * written as SQL goes through `pg`, unless it belongs to a transaction that the client began (decision 28).
 *
 * One operation, one function, one file; each takes the `Database` first, and an open `Store` is one. The store decides
 * nothing: the engine decides what follows from an event. Text that Postgres cannot hold is refused when it is written,
 * and never found when it is searched for. Every operation rejects with `UnavailableError` where Postgres is unreachable.
 */
export { getApiKey, KeyNameTakenError, listApiKeys, noteApiKeyUse, putApiKey, revokeApiKey } from './keys/apiKeys.ts';
export type { ApiKey, KeyLimits, NewApiKey } from './keys/apiKeys.ts';
export {
  beginLoginSession,
  endLoginSession,
  findLoginSession,
  listLoginSessions,
  putLoginCode,
  renewLoginSession,
  sessionLineMax,
} from './keys/loginSessions.ts';
export type { LoginCredential, LoginSession } from './keys/loginSessions.ts';
export { RestoreError, restoreBackup } from './backup/restoreBackup.ts';
export type { RestoredBackup } from './backup/restoreBackup.ts';
export { writeBackup } from './backup/writeBackup.ts';
export type { WrittenBackup } from './backup/writeBackup.ts';
export { auditLines, auditRecords } from './audit/auditRecords.ts';
export { beginMarksByHand, claimMarks } from './audit/claimMarks.ts';
export type { MarksMemory, RememberedMarks } from './audit/claimMarks.ts';
export { MarksError } from './audit/marksError.ts';
export { callsOfRuns, listCalls } from './audit/listCalls.ts';
export type { CallFilter, CallPlace, RecordedCall } from './audit/listCalls.ts';
export { verifyAudit } from './audit/verifyAudit.ts';
export type { VerifyOptions } from './audit/verifyAudit.ts';
export { isRemovalGuarded } from './retention/guardRemoval.ts';
export type { RecordOptions } from './audit/auditRecords.ts';
export { AuditVerifier } from './audit/auditVerifier.ts';
export type { AuditReport, Checkpoint, VerifierOptions } from './audit/auditVerifier.ts';
export type { AuditProblem } from './audit/auditProblem.ts';
export { AuditKeys, isSignedBy, readPublicKey } from './audit/auditKeys.ts';
export type { PublicKey } from './audit/auditKeys.ts';
export { listEntries } from './audit/entries.ts';
export type { ChainedEntry, EntryFilter } from './audit/entries.ts';
export { readFence, removeFence } from './fence/fence.ts';
export type { FenceCause, FenceLift, RaisedFence } from './fence/fence.ts';
export type { EpochPlace } from './fence/epoch.ts';
export { watchHistory } from './fence/watchHistory.ts';
export { lastSeal, sealRuns, sealRunsInTurn } from './audit/sealRuns.ts';
export { findUnsealed, sealedUntil } from './audit/unsealed.ts';
export { noteCallback, takeCallbacks } from './runs/callbacks.ts';
export type { Callback, CallbackEnd, TakeCallbacksOptions } from './runs/callbacks.ts';
export { dropEnd, noteMissedEnds, untakenEnds } from './runs/childEnds.ts';
export { cancellingAmong, cancellingRuns, dueRuns, silentRuns, unknownRuns } from './runs/stuckRuns.ts';
export type { DuePlace, StuckRun, StuckRunsLimit } from './runs/stuckRuns.ts';
export type { RunsAtWork } from './sharing/runsAtWork.ts';
export { genesis, linkHash } from './journal/chain.ts';
export type { ChainLink } from './journal/chain.ts';
export type { FoundVersion, VersionRequest } from './workflows/findVersion.ts';
export { usesBlob } from './journal/blobUse.ts';
export { countQuestions } from './runs/countQuestions.ts';
export { countUnderWay } from './runs/countUnderWay.ts';
export { countQueued } from './runs/countQueued.ts';
export { databaseTime } from './database/databaseTime.ts';
export { installationId } from './database/installationId.ts';
export { definitionOf, getDefinition, putDefinition } from './workflows/definitions.ts';
export type { Definition, Pin, Pins } from './workflows/definitions.ts';
export { deployWorkflow } from './workflows/deployWorkflow.ts';
export type { MayReplace } from './database/replacing.ts';
export { ReplacedError } from './database/replacing.ts';
export type { DeployOutcome, Deployment } from './workflows/deployWorkflow.ts';
export type { StoredEvent } from './journal/eventText.ts';
export { childIds, rerunsOf } from './runs/relatedRuns.ts';
export { getChildRun, getRun } from './runs/getRun.ts';
export type { RunOutcome } from './runs/runOutcomes.ts';
export { getIdempotencyKey } from './runs/idempotencyKey.ts';
export type { UsedIdempotencyKey } from './runs/idempotencyKey.ts';
export { lastPositions } from './journal/lastPositions.ts';
export { listRuns, runIds } from './runs/listRuns.ts';
export type { RunPage } from './runs/listRuns.ts';
export type { RunFilter } from './runs/runConditions.ts';
export { countRuns, runHistogram } from './runs/runHistogram.ts';
export type { RunBucket } from './runs/runHistogram.ts';
export { recentRuns } from './runs/recentRuns.ts';
export type { RecentRun } from './runs/recentRuns.ts';
export { migrate } from './database/migrate.ts';
export { neglectedRuns } from './sharing/fairShare.ts';
export { NotifyBus } from './database/notifyBus.ts';
export { openStore } from './openStore.ts';
export type { Store, StoreOptions } from './openStore.ts';
export type { Database } from './database/database.ts';
export { Ownership } from './workers/ownership.ts';
export { queueSession } from './database/sessionSettings.ts';
export { cachedPlans, planOf } from './workflows/plans.ts';
export { feedEnd, isAhead, isFeedPosition, readFeed } from './journal/readFeed.ts';
export type { FeedEnd, FeedEvent, FeedPosition } from './journal/readFeed.ts';
export { readPage } from './journal/readPage.ts';
export type { AuditedEvent } from './journal/readPage.ts';
export { OutdatedError } from './runs/requestRun.ts';
export type { Idempotency, RequestOutcome, RequestedCallback, RunRequest } from './runs/runRequest.ts';
export { countRemovable } from './retention/countRemovable.ts';
export { removeRecords } from './retention/removeRecords.ts';
export { removeRuns } from './retention/removeRuns.ts';
export type { BlobUse } from './retention/removeValues.ts';
export { removeValues } from './retention/removeValues.ts';
export { createdAtOf, isRunId, newRunId } from './runs/runId.ts';
export type { RunSummary } from './runs/runSummary.ts';
export {
  activeRuns,
  decideDue,
  decideQueued,
  findQueued,
  lastRefusals,
  listFirings,
  queueFirings,
} from './schedules/firings.ts';
export type { RefusedFiring } from './schedules/firings.ts';
export type { DecidedFirings, Firing, FiringCause, FiringOutcome } from './schedules/firings.ts';
export { findUnplaced, placeSchedules, previewSchedules } from './schedules/placeSchedules.ts';
export type { PlacedTrigger, UnplacedSchedule } from './schedules/placeSchedules.ts';
export {
  getSchedule,
  listSchedules,
  nextDue,
  auditSchedule,
  pauseSchedule,
  resumeSchedule,
  setNextInstant,
} from './schedules/schedules.ts';
export type { Schedule } from './schedules/schedules.ts';
export { noteServerAccess, storedAuthorizations } from './secrets/authorizations.ts';
export { deleteSecret, getSecret, putSecret, rewrapSecrets } from './secrets/secrets.ts';
export type { NewSecret } from './secrets/secrets.ts';
export { noteForgedRun } from './audit/noteForgedRun.ts';
export { hookSecrets } from './secrets/hookSecrets.ts';
export { storedSecrets } from './secrets/storedSecrets.ts';
export { Vault } from './secrets/vault.ts';
export { listHookDeliveries, noteHookDelivery } from './workflows/hookDeliveries.ts';
export type { HookDelivery } from './workflows/hookDeliveries.ts';
export { queueCounts } from './runs/queueCounts.ts';
export { awaitedTurn, passTurns, storedTurns, unpassedTurns } from './runs/turns.ts';
export {
  beat,
  drainWorker,
  forgetWorkers,
  isWorkerAlive,
  listWorkers,
  noteServers,
  removeWorker,
} from './workers/workers.ts';
export type { WorkerHeartbeat, WorkerSummary } from './workers/workers.ts';
export { findToolOwner, ToolNameTakenError, toolNameOf } from './workflows/toolNames.ts';
export {
  deleteWorkflow,
  getWorkflow,
  getWorkflowVersion,
  listWorkflows,
  pauseWorkflow,
  resumeWorkflow,
} from './workflows/workflows.ts';
export type { DeployedVersion, WorkflowSummary } from './workflows/workflows.ts';

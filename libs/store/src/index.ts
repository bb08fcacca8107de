/**
 * The store: Postgres, which is the truth (I1), through Prisma and, where it counts, through `pg`.
 *
 * One operation, one function, one file; each takes the `Database` first, which an open `Store` is. It decides nothing:
 * what follows from an event is the engine's business. Whatever text it is given, it stores it, or says which part of it
 * cannot be stored; what cannot be stored cannot be found. Rejects with `UnavailableError` when Postgres is away.
 */
export { getApiKey, listApiKeys, noteApiKeyUse, putApiKey, revokeApiKey } from './apiKeys.ts';
export type { ApiKey, NewApiKey } from './apiKeys.ts';
export { auditLines, auditRecords } from './audit/auditRecords.ts';
export type { RecordOptions } from './audit/auditRecords.ts';
export { AuditVerifier } from './audit/auditVerifier.ts';
export type { AuditProblem, AuditReport, Checkpoint } from './audit/auditVerifier.ts';
export { auditedActions, listEntries } from './audit/entries.ts';
export type { AuditedAction, Entry, EntryFilter } from './audit/entries.ts';
export { findUnsealed, lastSealedAt, sealRuns } from './audit/sealRuns.ts';
export { noteCallback, takeCallbacks } from './callbacks.ts';
export type { Callback, CallbackEnd, TakeOptions } from './callbacks.ts';
export { cancellingRuns, dueRuns, silentRuns, unknownRuns, untoldChildren } from './attention.ts';
export type { NeedsAttention } from './attention.ts';
export { genesis, linkHash, verifyChain } from './chain.ts';
export type { Link, Verified } from './chain.ts';
export type { VersionFound, VersionWanted } from './findVersion.ts';
export { usesBlob } from './blobUse.ts';
export { countQuestions } from './countQuestions.ts';
export { countQueued } from './countQueued.ts';
export { definitionOf, getDefinition, putDefinition } from './definitions.ts';
export type { Definition, Pin, Pins } from './definitions.ts';
export { deployWorkflow } from './deployWorkflow.ts';
export type { MayReplace } from './replacing.ts';
export { ReplacedError } from './replacing.ts';
export type { Deployed, Deployment } from './deployWorkflow.ts';
export type { StoredEvent } from './eventText.ts';
export { getChildRun, getRun } from './getRun.ts';
export { getIdempotencyKey } from './idempotencyKey.ts';
export type { UsedKey } from './idempotencyKey.ts';
export { lastPositions } from './lastPositions.ts';
export { listRuns } from './listRuns.ts';
export type { RunFilter, RunPage } from './listRuns.ts';
export { migrate } from './migrate.ts';
export { neglectedRuns } from './neglectedRuns.ts';
export { nextMigration } from './nextMigration.ts';
export { NotifyBus } from './notifyBus.ts';
export { openStore } from './openStore.ts';
export type { Database, Store, StoreOptions } from './openStore.ts';
export { Ownership } from './ownership.ts';
export { ping } from './ping.ts';
export { cachedPlans, planOf } from './plans.ts';
export { feedEnd, isAhead, isFeedPosition, readFeed } from './readFeed.ts';
export type { FeedEvent, FeedPosition } from './readFeed.ts';
export { readPage } from './readPage.ts';
export type { AuditedEvent } from './readPage.ts';
export { OutdatedError } from './requestRun.ts';
export type { Idempotency, Requested, RequestedCallback, RunRequest } from './requestRun.ts';
export { countRemovable } from './retention/countRemovable.ts';
export { removeRecords } from './retention/removeRecords.ts';
export { removeRuns } from './retention/removeRuns.ts';
export { createdAtOf, isRunId, newRunId } from './runId.ts';
export type { RunSummary } from './runSummary.ts';
export { activeRuns, decideDue, decideQueued, findQueued, listFirings, queueFirings } from './schedules/firings.ts';
export type { Decided, Firing, FiringCause, FiringOutcome } from './schedules/firings.ts';
export { findUnplaced, placeSchedules } from './schedules/placeSchedules.ts';
export type { PlacedTrigger, Unplaced } from './schedules/placeSchedules.ts';
export {
  getSchedule,
  listSchedules,
  nextDue,
  noteScheduleUse,
  pauseSchedule,
  resumeSchedule,
} from './schedules/schedules.ts';
export type { Schedule } from './schedules/schedules.ts';
export { noteServerAccess, storedAuthorizations } from './secrets/authorizations.ts';
export {
  deleteSecret,
  getSecret,
  listSecrets,
  putSecret,
  secretNames,
  revealSecrets,
  rewrapSecrets,
} from './secrets/secrets.ts';
export type { NewSecret, Revealed, SecretSummary } from './secrets/secrets.ts';
export { Vault } from './secrets/vault.ts';
export { passTurns, storedTurns, unpassedTurns } from './turns.ts';
export { beat, forgetWorkers, isWorkerAlive, listWorkers, removeWorker } from './workers.ts';
export type { WorkerHeartbeat, WorkerSummary } from './workers.ts';
export { deleteWorkflow, getWorkflow, getWorkflowVersion, listWorkflows } from './workflows.ts';
export type { DeployedVersion, WorkflowSummary } from './workflows.ts';

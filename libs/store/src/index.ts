/**
 * The store: Postgres, which is the truth (I1). What a model of one table can say goes through Prisma's client; what is
 * written as SQL goes through `pg`, unless it belongs to a transaction that the client began (decision 28).
 *
 * One operation, one function, one file; each takes the `Database` first, and an open `Store` is one. The store decides
 * nothing: the engine decides what follows from an event. Text that Postgres cannot hold is refused when it is written,
 * and never found when it is searched for. Every operation rejects with `UnavailableError` where Postgres is unreachable.
 *
 * Folders, lowest first: values, database, state, kv, journal, costs, runs, audit, budgets, schedules, polls, runTriggers, workflows,
 * workers, secrets, sharing, fence, keys, people, verification, backup, retention.
 */
export {
  addPerson,
  changeGrants,
  getPerson,
  getWrittenPerson,
  listPeople,
  PersonNameTakenError,
  removePerson,
  restorePerson,
} from './people/people.ts';
export type { Person, StoredGrant } from './people/people.ts';
export { writtenId } from './secrets/personLogins.ts';
export { endAccount, ensureAccount, noteSeen, putAccount, renewAccount, takeAsking } from './people/accounts.ts';
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
export {
  type ConnectedClient,
  countConnectedClients,
  endConnectedClient,
  ensureConnectedClient,
  findConnectedClient,
  isConnectedClient,
  listConnectedClients,
  noteClientRegistered,
  noteClientToken,
  putConnectedClient,
  removeUnusedClients,
} from './keys/connectedClients.ts';
export {
  consumeOAuthRecord,
  countRegisteredClients,
  findOAuthRecord,
  putOAuthRecord,
  removeOAuthRecord,
  removeUnusedRegistration,
  renewOAuthRecord,
} from './keys/oauthRecords.ts';
export { RestoreError, restoreBackup } from './backup/restoreBackup.ts';
export { writeBackup } from './backup/writeBackup.ts';
export { auditLines, auditRecords } from './audit/auditRecords.ts';
export { beginMarksByHand, claimMarks } from './audit/claimMarks.ts';
export { MarksError } from './audit/marksError.ts';
export { callsOfRuns, listCalls, type CallPlace, type RecordedCall } from './audit/listCalls.ts';
export { verifyAudit } from './verification/verifyAudit.ts';
export { isRemovalGuarded } from './retention/guardRemoval.ts';
export { AuditVerifier, type AuditReport, type Checkpoint } from './audit/auditVerifier.ts';
export type { AuditProblem } from './audit/auditProblem.ts';
export {
  type Budget,
  type BudgetNotice,
  type BudgetTerms,
  type BudgetUnit,
  type Usage,
  budgetUnits,
  putBudget,
  readBudgets,
  readUsage,
  removeBudget,
  tellBudgets,
} from './budgets/budgets.ts';
export { type BudgetSpan, budgetSpan } from './budgets/budgetSpan.ts';
export { type Cost, type CostGroup, sumCosts } from './costs/sumCosts.ts';
export { AuditKeys, readPublicKey, type PublicKey } from './database/auditKeys.ts';
export { listEntries, type ChainedEntry } from './audit/entries.ts';
export { readFence, removeFence, type RaisedFence } from './fence/fence.ts';
export type { EpochPlace } from './fence/epoch.ts';
export { watchHistory } from './fence/watchHistory.ts';
export { lastSeal, lastSealAt, sealRuns, sealRunsInTurn } from './audit/sealRuns.ts';
export { findUnsealed, sealedUntil } from './audit/unsealed.ts';
export { noteCallback, takeCallbacks } from './runs/callbacks.ts';
export type { Callback, CallbackEnd } from './runs/callbacks.ts';
export { dropEnd, noteMissedEnds, untakenEnds } from './runs/childEnds.ts';
export { cancellingAmong, cancellingRuns, dueRuns, silentRuns, unknownRuns } from './runs/stuckRuns.ts';
export type { DuePlace, StuckRun } from './runs/stuckRuns.ts';
export { dropFullMeters, storedMeters } from './sharing/storedMeters.ts';
export type { RunsAtWork } from './sharing/runsAtWork.ts';
export { genesis, linkHash, type ChainLink } from './journal/chain.ts';
export { type FoundVersion, type VersionRequest, proofAuthor } from './workflows/findVersion.ts';
export { usesBlob } from './journal/blobUse.ts';
export { databaseTime } from './database/databaseTime.ts';
export { installationId } from './database/installationId.ts';
export { definitionOf, getDefinition, putDefinition } from './workflows/definitions.ts';
export type { Definition, Pin, Pins } from './workflows/definitions.ts';
export { cachedPins, type DeployedPins, type DeployedPinsReader } from './workflows/deployedPins.ts';
export { deploymentOf } from './workflows/deploymentOf.ts';
export { deployWorkflow, type DeployOutcome, type Deployment } from './workflows/deployWorkflow.ts';
export { ReplacedError, type MayReplace } from './database/replacing.ts';
export { countDeployedBy, newestWith } from './workflows/newestWith.ts';
export { recordedAnswers } from './audit/recordedAnswers.ts';
export { workflowsRefused } from './runs/workflowsRefused.ts';
export { childIds, newestRetries, parentsOf, rerunsOf, undosOf } from './runs/relatedRuns.ts';
export { getChildRun, getRun } from './runs/getRun.ts';
export type { RunOutcome } from './runs/runOutcomes.ts';
export { getIdempotencyKey, keepIdempotencyKey } from './runs/idempotencyKey.ts';
export { lastPositions } from './journal/lastPositions.ts';
export { listRuns, runIds } from './runs/listRuns.ts';
export { loginWaits } from './runs/loginWaits.ts';
export type { RunFilter } from './runs/runConditions.ts';
export { askedTimes } from './runs/askedTime.ts';
export { type UnknownOutcome, unknownOutcomes } from './runs/unknownOutcomes.ts';
export { type FailedRun, failedRuns } from './runs/failedRuns.ts';
export { countRuns, runHistogram } from './runs/runHistogram.ts';
export { recentRuns } from './runs/recentRuns.ts';
export { migrate } from './migrate.ts';
export { neglectedRuns } from './sharing/fairShare.ts';
export { NotifyBus } from './database/notifyBus.ts';
export { openStore, type Store } from './openStore.ts';
export type { Database } from './database/database.ts';
export { Ownership } from './workers/ownership.ts';
export { QueueClient } from './database/guardedClient.ts';
export { connectionShortage } from './database/connectionLimit.ts';
export { anyPlace, moveValue } from './retention/moveValues.ts';
export { openPlace, ValuePlaceError } from './values/openPlace.ts';
export { type ValuePlace, ValuesUnavailableError } from './values/valuePlace.ts';
export { checkPooler } from './database/checkPooler.ts';
export { grantRuntime } from './database/runtimeRole.ts';
export { readDatabaseAddress } from './database/databaseAddress.ts';
export { listStateWrites, readState, type StateEntry } from './state/readState.ts';
export { setState } from './workflows/setState.ts';
export { cachedPlans, pinnedCall, planOf } from './workflows/plans.ts';
export { feedEnd, isAhead, isFeedPosition, readFeed } from './journal/readFeed.ts';
export type { FeedEvent, FeedPosition } from './journal/readFeed.ts';
export { readPage, type AuditedEvent } from './journal/readPage.ts';
export { OutdatedError } from './runs/requestRun.ts';
export type {
  BeginningRequest,
  Idempotency,
  RequestOutcome,
  RequestedCallback,
  RunRequest,
} from './runs/runRequest.ts';
export { type StoredRequest, UnstoredLog } from './runs/unstoredLog.ts';
export { countRemovable } from './retention/countRemovable.ts';
export { removeLeft } from './retention/removeLeft.ts';
export { removeRecords } from './retention/removeRecords.ts';
export { removeRuns } from './retention/removeRuns.ts';
export { removeValues, type BlobUse } from './retention/removeValues.ts';
export { createdAtOf, isRunId, newRunId } from './database/runId.ts';
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
export type { RefusedFiring, DecidedFirings, Firing, FiringCause, FiringOutcome } from './schedules/firings.ts';
export { type EndedRun, followingRuns, ownEvents } from './runTriggers/countedEnds.ts';
export type { SpendingRun } from './runTriggers/spendingRuns.ts';
export { type SeenRuns, type Streaks, followRuns, forgetRunEnds } from './runTriggers/followRuns.ts';
export { commitPoll, type PollCommit, type PollKeyText, type PollStart } from './polls/commitPoll.ts';
export {
  auditPoll,
  countKeys,
  failPoll,
  newestItems,
  type NamedPoll,
  passOverPolls,
  readPolls,
  resetPoll,
  seenKeys,
} from './polls/polls.ts';
export type { PollFound, PollRefusal, PollState } from './polls/polls.ts';
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
  type Schedule,
} from './schedules/schedules.ts';
export { type EndedLogin, endedLogins, forgetEndedLogin } from './secrets/endedLogins.ts';
export { noteServerAccess, storedAuthorizations } from './secrets/authorizations.ts';
export { deleteSecret, getSecret, putSecret, rewrapSecrets } from './secrets/secrets.ts';
export { noteForgedRun } from './audit/noteForgedRun.ts';
export { deployedSecretUses } from './secrets/deployedSecretUses.ts';
export { storedSecrets } from './secrets/storedSecrets.ts';
export { Vault } from './secrets/vault.ts';
export { listHookDeliveries, noteHookDelivery } from './workflows/hookDeliveries.ts';
export { countQuestions, countQueued, countUnderWay, queueCounts } from './runs/runCounts.ts';
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

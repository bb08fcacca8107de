/**
 * What an installation does: it starts, cancels and answers runs, deploys workflows, fires schedules, wakes what waits,
 * keeps and removes records, and decides what a key may do. Here the adapters meet.
 *
 * It never speaks HTTP or MCP to a client: apps bind their routes and tools to it.
 *
 * Folders, lowest first: keys, budgets, installation, audit, causes, shapes, callbacks, trial, deploy,
 * intake, schedules, polls,
 * runTriggers, reconcile, retention, resources, questions, authoring, live, oauth, logins, fence, operations.
 */
export { Sealer } from './audit/sealer.ts';
export { armsMore, consequencesDigest, hasOtherTools, plannedCalls } from './authoring/consequences.ts';
export type { DeploymentConsequences } from './authoring/consequences.ts';
export { type Corrections, findingPlace } from './deploy/corrections.ts';
export { explainRun, type RunExplanation } from './authoring/explainRun.ts';
export { inventValue } from './trial/inventValue.ts';
export { type LearnedWorkflow, WorkflowLearner } from './authoring/learning.ts';
export { simulateRun, type Trial, type TrialOptions } from './trial/trial.ts';
export { BudgetGuard } from './budgets/budgetGuard.ts';
export { BudgetNotices } from './budgets/budgetNotices.ts';
export { type CallbackOutcome, Deliverer } from './callbacks/deliverer.ts';
export { CatalogueCache, policyOf } from './deploy/catalogueCache.ts';
export { Checker } from './deploy/checker.ts';
export { type DeployedTrigger, DeployedTriggers } from './deploy/deployedTriggers.ts';
export { type DeployParts, deployedWorkflowsFor } from './deploy/deployedWorkflows.ts';
export { DriftGuard } from './deploy/driftGuard.ts';
export { DriftOverview, type WorkflowDrift } from './deploy/driftOverview.ts';
export { type InlineWorkflow, InlineWorkflows } from './deploy/inline.ts';
export { authoringNames, generalNames, isAuthoring, isGeneral, isReserved } from './deploy/ownToolNames.ts';
export type { AuthoringName, GeneralName } from './deploy/ownToolNames.ts';
export { declarationsIn } from './deploy/declarationsIn.ts';
export { effectOf } from './deploy/pins.ts';
export { refusals } from './installation/refusals.ts';
export { Repinner } from './deploy/repinner.ts';
export { type CheckLimits } from './deploy/threads/checkThread.ts';
export { CheckThreads } from './deploy/threads/checkThreads.ts';
export { cachedTriggers, type Triggers } from './deploy/triggers.ts';
export { type WorkflowText } from './deploy/workflowText.ts';
export type { FenceOptions } from './fence/fenceActions.ts';
export { QueueBacklog } from './intake/backlog.ts';
export { dedupeKey } from './intake/dedupeKey.ts';
export type { RerunOptions } from './intake/rerun.ts';
export { appendOutside, AppendQueues, type RunAppender } from './intake/runAppender.ts';
export { RunQuota } from './intake/runQuota.ts';
export { idempotencyOf, RunStarter } from './intake/starter.ts';
export type { NewRun, RunOrder, StartedRun } from './intake/starter.ts';
export { type NamedWorkflow, unknownWorkflow } from './intake/unknownWorkflow.ts';
export { isSameActor } from './keys/actor.ts';
export { ensureAdminKey } from './keys/adminKey.ts';
export { strongestEffectOf } from './keys/effects.ts';
export { checkMaySee, maySee, reachedOf, reachesServer, reachOf, reasonFor } from './keys/keyAccess.ts';
export { onAnything, onWorkflow, withScope } from './keys/narrowing.ts';
export { watchKeyExpiry } from './keys/keyExpiryWatch.ts';
export { AddressCounts } from './keys/addressCounts.ts';
export { makeKey } from './keys/keyText.ts';
export { readHolder } from './keys/holderPrincipal.ts';
export { Roles } from './keys/roles.ts';
export { Keyring, unauthenticated } from './keys/keyring.ts';
export { LoginSessions, sessionMs } from './keys/loginSessions.ts';
export { checkScopes, haveSameRights, may, type Principal } from './keys/scopes.ts';
export { personBehind } from './keys/personBehind.ts';
export { triggerPrincipal } from './keys/triggerPrincipal.ts';
export { Feed, shownEvent } from './live/feed.ts';
export { OpenStreams } from './live/openStreams.ts';
export { type EventPage, JournalPages } from './live/pages.ts';
export { PositionSeal } from './live/positionSeal.ts';
export { TextSeal } from './live/textSeal.ts';
export { EndHere, type JournalOfRun } from './live/endHere.ts';
export { followRun, type FollowEnd, journalOf, waitForEnd } from './live/followRun.ts';
export { RunWatches } from './live/watches.ts';
export { AccessTokens } from './oauth/accessTokens.ts';
export { scopesOf, type TokenResource, tokenResources } from './oauth/clientChoices.ts';
export { OAuthClients } from './oauth/oauthClients.ts';
export { clientUnusedMs, SealedRecords } from './oauth/sealedRecords.ts';
export { ClaimGrants, type ClaimRule } from './logins/claimGrants.ts';
export { IdentityUnavailableError } from './keys/identityUnavailable.ts';
export { LogInRefusal, ProviderLogins } from './logins/providerLogins.ts';
export { Vouchers } from './logins/vouchers.ts';
export { Vouching } from './logins/vouching.ts';
export { control } from './operations/control.ts';
export type { RefusedRun } from './operations/manyRuns.ts';
export type { Operation } from './operations/operation.ts';
export type { ListPage, PageInput } from './operations/page.ts';
export { followRunEvents } from './operations/followRunEvents.ts';
export type { PollParts } from './operations/polls.ts';
export type { ScheduleOptions } from './operations/schedules.ts';
export { shownLoginSession } from './shapes/loginSession.ts';
export { answerQuestion, checkAnswerEffects, declineQuestion } from './questions/answer.ts';
export { type AskedQuestion, questionId, questionsIn, runIdIn } from './questions/openQuestions.ts';
export { Reconciler, type ReconcilerRemedy } from './reconcile/reconciler.ts';
export { ResourceWatcher, type ResourceWatcherOptions } from './resources/resourceWatcher.ts';
export { valueMover } from './retention/valueMover.ts';
export { type RemovableKind, Retention, type RetentionOptions, type RetentionPeriods } from './retention/retention.ts';
export { type FiringOptions } from './schedules/firing.ts';
export { placedTriggers, type ScheduleParts } from './deploy/placedTriggers.ts';
export type { Polled } from './polls/pollOnce.ts';
export { RunFollower, type RunFollowerOptions } from './runTriggers/runFollower.ts';
export { EventHooks, isEventHook } from './polls/eventHooks.ts';
export { Poller, type PollerOptions } from './polls/poller.ts';
export { Ticker, type TickerOptions } from './schedules/ticker.ts';
export { FoldedRuns } from './shapes/foldedRuns.ts';
export { shownRerun } from './intake/shownRerun.ts';
export { shownUndo } from './intake/undo/shownUndo.ts';
export type { UndoOptions } from './intake/undo/undo.ts';
export { listedRun } from './shapes/run.ts';
export { RunView } from './shapes/runView.ts';
export { weightOf } from './shapes/weightOf.ts';
export { withBlobs } from './shapes/withBlobs.ts';

/**
 * How a process starts and stops: settings, logger, embedded Postgres, child processes, and the order of shutting down.
 * What it says of itself meanwhile: traces, metrics, whether it can work.
 *
 * It knows nothing of runs or workflows. It never leaves a process behind that it started, never ends one that is not
 * marked as ours, and never uses a data folder that somebody else is using.
 */
export { FolderInUseError, lockFolder } from './folderLock.ts';
export type { FolderLock } from './folderLock.ts';
export { freePort } from './freePort.ts';
export { stopLeftoverPostgres } from './leftoverPostgres.ts';
export { Lifecycle } from './lifecycle.ts';
export type { LifecycleOptions } from './lifecycle.ts';
export { createLogger } from './logger.ts';
export type { Logger, LogOptions } from './logger.ts';
export { Metrics } from './metrics.ts';
export { findOrphans, markVariable, ownerMark, sweepOrphans } from './orphans.ts';
export type { Orphan } from './orphans.ts';
export { startTimeOf, stopProcess, workingFolderOf } from './processTable.ts';
export { Readiness } from './readiness.ts';
export type { PartState } from './readiness.ts';
export { readSettings, SettingsError } from './readSettings.ts';
export type { DescribedSetting, ReadSettings, SettingSource } from './readSettings.ts';
export { redactText } from './redaction.ts';
export { readServersFile } from './serversFile.ts';
export type { ServersFile } from './serversFile.ts';
export { ServersOnDisk } from './serversOnDisk.ts';
export type { OnDisk } from './serversOnDisk.ts';
export type { SettingName, Settings } from './settings.ts';
export { cannotUse, StartError } from './startError.ts';
export { startService } from './startService.ts';
export { openStatusListener } from './statusListener.ts';
export type { StatusListener } from './statusListener.ts';
export { startTracing } from './startTracing.ts';
export { startPostgres } from './startPostgres.ts';
export type { EmbeddedPostgres, PostgresOptions } from './startPostgres.ts';
export { SupervisedChild, tellSupervisor } from './supervisor.ts';
export type { ChildOptions } from './supervisor.ts';
export { temporaryPostgres } from './temporaryPostgres.ts';
export type { OpenSpan, PastSpan, SpanFacts, Tracing } from './tracing.ts';

/**
 * How a process starts and stops: settings, logger, embedded Postgres, child processes, and the order of shutting down;
 * and how it reports: traces, metrics, health.
 *
 * It knows nothing of runs or workflows. It never leaves a process behind that it started, never ends one that is not
 * marked as ours, and never uses a data folder that another process is using.
 *
 * Folders, lowest first: failure, telemetry, orphans, settings, process, postgres.
 */
export { cannotListen, PortTakenError } from './failure/cannotListen.ts';
export { cannotWrite } from './failure/cannotWrite.ts';
export { epochFile } from './settings/epochFile.ts';
export { FolderInUseError, lockFolder } from './process/folderLock.ts';
export { makeFolder } from './failure/makeFolder.ts';
export { replaceFile } from './failure/replaceFile.ts';
export { lockFile } from './process/fileLock.ts';
export { checkPort, freePort } from './process/freePort.ts';
export { stopLeftoverPostgres } from './postgres/leftoverPostgres.ts';
export { Lifecycle, type LifecycleBranch } from './process/lifecycle.ts';
export { createLogger, type Logger } from './telemetry/logger.ts';
export { Metrics } from './telemetry/metrics.ts';
export { ownerMark, sweepOrphans } from './orphans/orphans.ts';
export { startTimeOf, stopProcess, workingFolderOf } from './orphans/processTable.ts';
export { offState, Readiness, type PartState } from './telemetry/readiness.ts';
export { readSettings, SettingsError } from './settings/readSettings.ts';
export type { DescribedSetting } from './settings/readSettings.ts';
export { readSecretKey } from './settings/secretKey.ts';
export { marksFile } from './settings/marksFile.ts';
export { readServersFile, usualServersFiles, type ServersFile } from './settings/serversFile.ts';
export { difference, type ServerChange } from './settings/serversOnDisk.ts';
export type { Settings } from './settings/settings.ts';
export { strangeNames } from './settings/strangeNames.ts';
export { cannotUse, exitCodes, StartError, startErrorOf, toldAs } from './failure/startError.ts';
export { type Service, startService } from './process/startService.ts';
export { openStatusListener } from './telemetry/statusListener.ts';
export { startTracing } from './telemetry/startTracing.ts';
export { runningPostgres } from './postgres/runningPostgres.ts';
export { startPostgres, type EmbeddedPostgres, type PostgresOptions } from './postgres/startPostgres.ts';
export { SupervisedChild } from './process/supervisor.ts';
export { temporaryPostgres } from './postgres/temporaryPostgres.ts';
export type { OpenSpan, SpanFacts, Tracing } from './telemetry/tracing.ts';

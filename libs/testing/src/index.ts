/**
 * For tests only: memory adapters of the runner's ports, the contract suites that they and the real adapters pass, and
 * real servers to run against. Nothing here is imported by what runs in production.
 */
export { anyWorkflow } from './anyWorkflow.ts';
export { answer, behaves, cancel, signal } from './behaviour.ts';
export type { Behaviour } from './behaviour.ts';
export { appFile } from './appFile.ts';
export { bellContract } from './contracts/bell.ts';
export type { BellParties } from './contracts/bell.ts';
export { busContract } from './contracts/bus.ts';
export { channelsContract } from './contracts/channels.ts';
export type { BusPair } from './contracts/bus.ts';
export { callContext } from './callContext.ts';
export { compileCache } from './compileCache.ts';
export { failing, pathsOf, refused } from './failing.ts';
export type { PlayAnswer } from './failing.ts';
export { freshDatabase } from './freshDatabase.ts';
export type { FreshDatabase } from './freshDatabase.ts';
export { restorePoint } from './restorePoint.ts';
export { freshStore, neverEnded, testSecretKey, testSecrets } from './freshStore.ts';
export type { FreshStore } from './freshStore.ts';
export { MemoryBell } from './memoryBell.ts';
export type { MemoryBellOptions } from './memoryBell.ts';
export { MemoryBus } from './memoryBus.ts';
export type { MemoryBusOptions } from './memoryBus.ts';
export { freezeProcesses, ownPostgres, processesOf } from './ownPostgres.ts';
export type { OwnPostgres } from './ownPostgres.ts';
export { planOf } from './planOf.ts';
export { roomForYoung } from './roomForYoung.ts';
export { testPorts } from './testPorts.ts';
export { textResult } from './textResult.ts';
export { requestedEvent, runningRow } from './samples.ts';
export { verifyChain } from './verifyChain.ts';
export { runScript, scriptModule } from './scriptProcess.ts';
export type { ScriptProcess } from './scriptProcess.ts';
export { findRedis, startRedis } from './startRedis.ts';
export type { RedisOptions, RedisServer } from './startRedis.ts';
export { journalContract } from './contracts/journal.ts';
export type { JournalPair } from './contracts/journal.ts';
export { faultProxy } from './faultProxy.ts';
export type { FaultProxy, Refusal } from './faultProxy.ts';
export { hostileTls } from './hostileTls.ts';
export type { HostileTls } from './hostileTls.ts';
export { MemoryJournal } from './memoryJournal.ts';
export type { AppendFate, MemoryDoor, MemoryJournalOptions } from './memoryJournal.ts';
export { AuthorizedServer } from './servers/authorizedServer.ts';
export {
  brokenBehindShell,
  brokenServer,
  leakyServer,
  helloServer,
  nightlyServer,
  offeringServer,
  passingServer,
  readLedger,
  toolsServer,
} from './servers/scripted.ts';
export type { BrokenBehaviour, LedgerEntry, ScriptedServer } from './servers/scripted.ts';
export { startScriptedHttp } from './servers/scriptedHttp.ts';
export type { ScriptedHttp } from './servers/scriptedHttp.ts';
export { fairPicks } from './fairPicks.ts';
export type { QueuedRun } from './fairPicks.ts';
export { tamper } from './tamper.ts';
export { jsonIn, terminalOn, testInstallation } from './testInstallation.ts';
export type { EndedProcess } from './testInstallation.ts';
export { soonMs } from './patience.ts';
export { soon } from './soon.ts';
export { testCertificate } from './testCertificate.ts';
export { TestClock } from './testClock.ts';
export { transactionPooler } from './transactionPooler.ts';
export { traceCollector } from './traceCollector.ts';
export type { CollectedSpan, TraceCollector } from './traceCollector.ts';

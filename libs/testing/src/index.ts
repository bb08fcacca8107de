/**
 * For tests only: memory adapters of the runner's ports, the contract suites that they and the real adapters pass, and
 * real servers to run against. Nothing here is imported by what runs in production.
 */
export { anyWorkflow } from './anyWorkflow.ts';
export { answer, behaves, cancel, signal, type Behaviour } from './behaviour.ts';
export { appFile } from './appFile.ts';
export { bellContract } from './contracts/bell.ts';
export { busContract } from './contracts/bus.ts';
export { channelsContract } from './contracts/channels.ts';
export { metersContract } from './contracts/meters.ts';
export { callContext } from './callContext.ts';
export { compileCache } from './compileCache.ts';
export { failing, pathsOf, refused, type PlayAnswer } from './failing.ts';
export { freshDatabase, type FreshDatabase } from './freshDatabase.ts';
export { restorePoint } from './restorePoint.ts';
export { freshStore, neverEnded, testSecretKey, testSecrets, type FreshStore } from './freshStore.ts';
export { MemoryBell } from './memoryBell.ts';
export { MemoryMeters } from './memoryMeters.ts';
export { MemoryBus } from './memoryBus.ts';
export { freezeProcesses, ownPostgres, processesOf, type OwnPostgres } from './ownPostgres.ts';
export { planOf } from './planOf.ts';
export { roomForYoung } from './roomForYoung.ts';
export { testPorts } from './testPorts.ts';
export { textResult } from './textResult.ts';
export { requestedEvent, runningRow } from './samples.ts';
export { verifyChain } from './verifyChain.ts';
export { runScript, scriptModule, type ScriptProcess } from './scriptProcess.ts';
export { findRedis, startRedis, type RedisOptions, type RedisServer } from './startRedis.ts';
export { journalContract } from './contracts/journal.ts';
export { faultProxy, type FaultProxy } from './faultProxy.ts';
export { hostileTls } from './hostileTls.ts';
export { MemoryJournal, type AppendFate } from './memoryJournal.ts';
export { type EventServer, startEventServer } from './servers/eventServer.ts';
export { AccountAuthority } from './servers/accountAuthority.ts';
export { type Mailbox, startMailbox } from './servers/mailbox.ts';
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
export type { LedgerEntry, ScriptedServer } from './servers/scripted.ts';
export { startScriptedHttp, type ScriptedHttp } from './servers/scriptedHttp.ts';
export { fairPicks, type QueuedRun } from './fairPicks.ts';
export { tamper } from './tamper.ts';
export { jsonIn, terminalOn, testInstallation, type EndedProcess } from './testInstallation.ts';
export { soonMs } from './patience.ts';
export { soon } from './soon.ts';
export { testCertificate } from './testCertificate.ts';
export { TestClock } from './testClock.ts';
export { transactionPooler } from './transactionPooler.ts';
export { traceCollector } from './traceCollector.ts';
export { Upstream, upstreamClient, upstreamMcpClient } from './servers/upstream.ts';

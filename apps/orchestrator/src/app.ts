/** Assembles the orchestrator: the server that answers requests, and the periodic tasks beside it. */
import type { Access } from '@baton/api';
import { type Tracing, Readiness } from '@baton/boot';
import {
  WorkflowLearner,
  CatalogueCache,
  Checker,
  DeployedTriggers,
  DriftGuard,
  InlineWorkflows,
  CheckThreads,
  cachedTriggers,
  QueueBacklog,
  AppendQueues,
  RunQuota,
  type NewRun,
  RunStarter,
  KeyFailures,
  Keyring,
  LoginSessions,
  OpenStreams,
  JournalPages,
  TextSeal,
  RunWatches,
  type Retention,
  RunView,
} from '@baton/control';
import { BackgroundTask, RunOffers, StartOffers, type Plans } from '@baton/runner';
import {
  cachedPlans,
  countQuestions,
  countQueued,
  countUnderWay,
  getApiKey,
  lastPositions,
  noteApiKeyUse,
} from '@baton/store';

import type { AppParts } from './appParts.ts';
import {
  startTicker,
  startDeliverer,
  startFeed,
  startSealer,
  startRetention,
  startResourceWatcher,
  startReconciler,
  taskTrouble,
} from './backgroundTasks.ts';
import { isForThisMachine } from './bindPolicy.ts';
import { docsRoutes } from './docs/docsRoutes.ts';
import { docsFolder } from './docs/siteFiles.ts';
import { DeliveryNotes } from './hooks/deliveryNotes.ts';
import { basePathOf } from './http/basePath.ts';
import { type App, createEdge } from './http/edge.ts';
import { hostCheck } from './http/hosts.ts';
import { type HttpMetrics, httpMetricsIn } from './http/httpMetrics.ts';
import { Rates } from './http/rates.ts';
import { SessionCookie } from './http/sessionCookie.ts';
import { WorkflowTools } from './mcp/workflowTools.ts';
import { builtPage, readDocument } from './page/pageFiles.ts';
import { pageRoutes } from './page/pageRoutes.ts';
import { keyRoutes } from './routes/access/keys.ts';
import { secretRoutes } from './routes/access/secrets.ts';
import { sessionRoutes } from './routes/access/sessions.ts';
import { gatewayRoutes } from './routes/mcp/gateway.ts';
import { type McpRouteOptions, mcpRoutes } from './routes/mcp/mcp.ts';
import { auditRoutes } from './routes/records/audit.ts';
import { auditCallRoutes } from './routes/records/auditCalls.ts';
import { retentionRoutes } from './routes/records/retention.ts';
import { evaluateRoute } from './routes/runs/evaluate.ts';
import { eventRoutes } from './routes/runs/events.ts';
import { feedRoutes } from './routes/runs/feed.ts';
import { type LearnRouteOptions, learnRoute } from './routes/runs/learn.ts';
import { manyRunRoutes } from './routes/runs/manyRuns.ts';
import { questionRoutes } from './routes/runs/questions.ts';
import { rerunRoutes } from './routes/runs/rerun.ts';
import { runRoutes } from './routes/runs/runs.ts';
import { runStatisticsRoutes } from './routes/runs/runStatistics.ts';
import { signalRoutes } from './routes/runs/signals.ts';
import { startRoutes } from './routes/runs/startRuns.ts';
import { deviceRoutes } from './routes/servers/devices.ts';
import { serverRoutes } from './routes/servers/servers.ts';
import { documentRoutes } from './routes/service/documents.ts';
import { fenceRoutes } from './routes/service/fence.ts';
import { serviceRoutes } from './routes/service/service.ts';
import { systemRoutes } from './routes/service/system.ts';
import { hookListRoute } from './routes/workflows/hookList.ts';
import { hookRoutes } from './routes/workflows/hooks.ts';
import { scheduleRoutes } from './routes/workflows/schedules.ts';
import { workflowRoutes } from './routes/workflows/workflows.ts';

/** How often the last use of a key is written to Postgres. */
const keyUseEveryMs = 10_000;
/** The metric counts the open questions of at most this many runs. */
const askingMax = 100_000;

/** Resolves to a server that is ready to listen. The lifecycle stops everything that it starts. */
export async function createApp(parts: AppParts): Promise<App> {
  const { store, clock, vault, queue, bus, log, lifecycle, version, publicUrl, pageFolder: folder = builtPage } = parts;
  const positions = (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => lastPositions(store, ids);
  const watches = new RunWatches({ bus, positions, clock });
  lifecycle.stopping.addEventListener('abort', () => watches.endWaits(), { once: true });
  lifecycle.onStop('watches', async () => watches.close());
  const readers = new OpenStreams();
  const httpMetrics = httpMetricsOf(parts, readers, watches);
  const basePath = basePathOf(publicUrl);
  const { app, keyring, sessions, cookie, rates } = await openEdge(parts, httpMetrics, basePath);
  const metricsAccess: Access = isForThisMachine(parts) ? 'public' : ['admin'];
  documentRoutes(app, { version, serverUrl: publicUrl, metricsAccess });
  const { bellFailed: onBellFailed } = httpMetrics;
  const plans = cachedPlans(store);
  const catalogueCache = new CatalogueCache(parts.config, parts.servers, clock);
  const checks = openChecker(parts, app, catalogueCache);
  const { checker, learning } = checks;
  const inlines = new InlineWorkflows(store, checker, clock);
  const view = new RunView({ plans, store, clock });
  const { bell } = queue;
  const { journal } = store;
  const onStarted = traceStarts(parts.tracing);
  const checkTools = toolCheck(parts);
  const intake = openIntake(parts);
  const starter = new RunStarter({ store, plans, bell, clock, ...intake, onBellFailed, onStarted, checkTools });
  const live = { watches, clock, stopping: lifecycle.stopping };
  const document = await readDocument(folder, basePath);
  // From here on, await nothing: see `pageRoutes`.
  await app.after();
  const retention = startRetention(parts, httpMetrics);
  startService(parts, app, { retention, metricsAccess, plans });
  docsRoutes(app, { folder: docsFolder, basePath });
  pageRoutes(app, { folder, document });
  workflowRoutes(app, { store, vault, checker, plans, rates });
  const outbound = startDeliverer(parts, view, httpMetrics);
  startRoutes(app, { store, journal, rates, starter, inlines, watches, view, clock, httpMetrics, outbound });
  const outside = { store, plans, journal, bell, bus, clock, queues: new AppendQueues(), onBellFailed };
  runRoutes(app, { ...outside, view });
  questionRoutes(app, outside);
  signalRoutes(app, outside);
  pastRunRoutes(app, { ...outside, rates, learning });
  rerunRoutes(app, { ...outside, plans, ...intake });
  manyRunRoutes(app, { ...outside, plans, ...intake });
  const triggers = cachedTriggers(store);
  const deployed = new DeployedTriggers(store, triggers);
  if (parts.devices !== undefined) {
    const { relay, texts } = parts.devices;
    deviceRoutes(app, relay);
    store.history.whenLifted(() => texts.open({ ...live, deployed, starter, journal, view }));
  }
  startResourceWatcher(parts, { deployed, starter });
  const firing = { ...outside, starter, triggers, plans, httpMetrics, notes: new DeliveryNotes(store, clock) };
  const ticker = startTicker(parts, firing);
  scheduleRoutes(app, { ...firing, ticker });
  hookRoutes(app, { ...firing, vault });
  hookListRoute(app, { store, deployed });
  systemRoutes(app, { store, clock, settings: parts.settings ?? [] });
  const streams = { ...live, store, keyring: sessions, log, readers, onCut: httpMetrics.cut };
  eventRoutes(app, { ...streams, pages: new JournalPages(store) });
  feedRoutes(app, { ...streams, feed: startFeed(parts) });
  startAudit(parts, app, retention);
  secretRoutes(app, { store, vault });
  keyRoutes(app, { store, keyring, clock });
  sessionRoutes(app, { store, sessions, cookie, clock });
  serverRoutes(app, { store, checker, config: parts.config, servers: parts.servers, onDisk: parts.onDisk });
  const relayed = { channels: bus, seal: new TextSeal(vault.keysFor('messages of MCP clients')) };
  const face = { positions, ...checks, rates, watches, view, keyring, readers, ticker, deployed, ...relayed };
  mcpEndpoints(parts, app, catalogueCache, { ...firing, ...face, ...intake });
  startReconciler(parts, httpMetrics);
  return app;
}

/** Routes that compute something from the journal of a run, and change nothing. */
function pastRunRoutes(app: App, options: LearnRouteOptions & Parameters<typeof evaluateRoute>[1]): void {
  runStatisticsRoutes(app, options);
  evaluateRoute(app, options);
  learnRoute(app, options);
}

function openIntake({ store, bus, clock, log, queuedMax, runsMax, itemsMax }: AppParts) {
  const onTrouble = taskTrouble(log);
  return {
    backlog: new QueueBacklog({ count: (most) => countQueued(store, most), clock, most: queuedMax, onTrouble }),
    quota: new RunQuota({ count: () => countUnderWay(store), clock, most: runsMax, itemsMax }),
    startOffers: new StartOffers({ offers: new RunOffers(bus), clock }),
  };
}

async function openEdge(parts: AppParts, httpMetrics: HttpMetrics, basePath: string) {
  const { store, clock, vault, log, host, publicUrl, innerUrl, trustedProxies } = parts;
  const keyring = keyringOf(parts);
  const sessions = new LoginSessions({ store, keyring, clock, secretKeys: vault.keysFor('sessions of browsers') });
  const cookie = new SessionCookie({ publicUrl, basePath });
  const rates = new Rates(parts.rateLimits);
  const app = createEdge({
    log,
    keyring,
    sessions,
    cookie,
    rates,
    fence: () => store.history.warning(),
    checkHost: hostCheck({ host, publicUrl, innerUrl }),
    trustedProxies,
    basePath,
    onAnswer: (...answer) => httpMetrics.answered(...answer),
  });
  await rates.open(app);
  return { app, keyring, sessions, cookie, rates };
}

/** The MCP endpoints: Baton's own tools, and the gateway to the configured servers. */
function mcpEndpoints(
  { store, vault, config, changes, version, log, lifecycle }: AppParts,
  app: App,
  catalogueCache: CatalogueCache,
  face: Omit<McpRouteOptions, 'offers' | 'vault' | 'config' | 'catalogueCache' | 'version' | 'log' | 'lifecycle'>,
): void {
  const given = { ...face, config, catalogueCache, version, log, lifecycle };
  mcpRoutes(app, { ...given, vault, offers: new WorkflowTools(store, face.plans) });
  gatewayRoutes(app, { ...given, changes });
}

function openChecker(parts: AppParts, app: App, catalogueCache: CatalogueCache) {
  const { lifecycle, checkLimits, checkProgram, config, root, clock } = parts;
  const threads = new CheckThreads(checkLimits, checkProgram);
  lifecycle.onStop('checks', () => threads.close());
  app.addHook('onListen', async () => threads.warm());
  const checker = new Checker(threads, catalogueCache, clock);
  return { checker, threads, learning: new WorkflowLearner({ threads, checker, config, catalogueCache, root }) };
}

const httpMetricsOf = ({ store, metrics }: AppParts, readers: OpenStreams, watches: RunWatches): HttpMetrics =>
  httpMetricsIn(metrics, {
    readers: () => readers.count,
    watched: () => watches.size,
    questions: () => countQuestions(store, askingMax),
  });

const traceStarts = (tracing: Tracing | undefined) =>
  tracing &&
  (({ runId, workflow, trigger, startMs, endMs }: NewRun): void => {
    const attributes = { 'baton.workflow': workflow, 'baton.trigger': trigger };
    tracing.tell(runId, { name: `request ${workflow}`, attributes, startMs, endMs });
  });

function keyringOf({ store, clock, log, lifecycle }: AppParts): Keyring {
  const monotonic = (): number => clock.monotonic();
  const keyring = new Keyring({
    load: (id) => getApiKey(store, id),
    failures: new KeyFailures(monotonic),
    monotonic,
    now: () => clock.now(),
  });
  const run = async (): Promise<number> => {
    const used = keyring.takeUsed();
    if (used.length > 0) await noteApiKeyUse(store, used, clock.now());
    return keyUseEveryMs;
  };
  const noting = new BackgroundTask({ name: 'times of use of API keys', clock, run, onTrouble: taskTrouble(log) });
  lifecycle.onStop('key use', () => noting.close());
  noting.start(keyUseEveryMs);
  return keyring;
}

function startService(
  parts: AppParts,
  app: App,
  {
    retention,
    metricsAccess,
    plans,
  }: { readonly retention: Retention; readonly metricsAccess: Access; readonly plans: Plans },
): void {
  const { store, queue, clock, metrics } = parts;
  const { history } = store;
  const readiness = new Readiness({ writeFault: () => store.writeFault(), queue, clock, history, retention });
  serviceRoutes(app, { readiness, metrics, metricsAccess });
  fenceRoutes(app, { store, journal: store.journal, plans, clock });
}

function startAudit(parts: AppParts, app: App, retention: Retention): void {
  const { store, clock } = parts;
  auditRoutes(app, { store, sealer: startSealer(parts), clock, retention });
  auditCallRoutes(app, { store });
  retentionRoutes(app, { retention, store });
}

function toolCheck({
  store,
  clock,
  config,
  servers,
  log,
}: AppParts): (definition: string) => Promise<void> | undefined {
  const onDrift = (changes: readonly string[]): void => log.warn({ changes }, 'tools of servers have changed');
  const guard = new DriftGuard({ store, config, servers, clock, onDrift, onTrouble: taskTrouble(log) });
  return (definition) => guard.check(definition);
}

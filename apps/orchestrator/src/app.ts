/** Assembles the orchestrator: the server that answers requests, and the periodic tasks beside it. */
import type { Access, Setting } from '@baton/api';
import type { Lifecycle, Logger, Metrics, Tracing } from '@baton/boot';
import { Readiness } from '@baton/boot';
import type { ServersConfig } from '@baton/protocol';
import type { OpenQueue } from '@baton/queue';
import type { Bus, SharedClock } from '@baton/runner';
import type { Store, Vault } from '@baton/store';
import {
  cachedPlans,
  countQuestions,
  countQueued,
  countUnderWay,
  getApiKey,
  lastPositions,
  noteApiKeyUse,
  ping,
} from '@baton/store';
import type { Outbound, Servers } from '@baton/transports';
import { openOutbound } from '@baton/transports';

import { Sealer } from './audit/sealer.ts';
import { Deliverer } from './callbacks/deliverer.ts';
import { CatalogueCache } from './deploy/catalogueCache.ts';
import { Checker } from './deploy/checker.ts';
import { DeployedTriggers } from './deploy/deployedTriggers.ts';
import { DriftGuard } from './deploy/driftGuard.ts';
import { InlineWorkflows } from './deploy/inline.ts';
import type { CheckLimits } from './deploy/threads/checkThread.ts';
import { CheckThreads } from './deploy/threads/checkThreads.ts';
import { cachedTriggers } from './deploy/triggers.ts';
import type { DeviceTexts } from './devices/deviceTexts.ts';
import { docsRoutes } from './docs/docsRoutes.ts';
import { docsFolder } from './docs/siteFiles.ts';
import type { CatalogueChanges } from './gateway/catalogueChanges.ts';
import { DeliveryNotes } from './hooks/deliveryNotes.ts';
import { basePathOf } from './http/basePath.ts';
import type { App } from './http/edge.ts';
import { createEdge } from './http/edge.ts';
import { hostCheck, isLoopback } from './http/hosts.ts';
import type { HttpMetrics } from './http/httpMetrics.ts';
import { httpMetricsIn } from './http/httpMetrics.ts';
import type { RateLimits } from './http/rates.ts';
import { Rates } from './http/rates.ts';
import { SessionCookie } from './http/sessionCookie.ts';
import { QueueBacklog } from './intake/backlog.ts';
import { AppendQueues } from './intake/runAppender.ts';
import { RunQuota } from './intake/runQuota.ts';
import type { NewRun } from './intake/starter.ts';
import { Starter } from './intake/starter.ts';
import { Failures } from './keys/failures.ts';
import { Keyring } from './keys/keyring.ts';
import { LoginSessions } from './keys/loginSessions.ts';
import { Feed } from './live/feed.ts';
import { JournalPages } from './live/pages.ts';
import { PositionSeal } from './live/positionSeal.ts';
import { Readers } from './live/readers.ts';
import { RunWatches } from './live/watches.ts';
import { WorkflowTools } from './mcp/workflowTools.ts';
import { builtPage, readDocument } from './page/pageFiles.ts';
import { pageRoutes } from './page/pageRoutes.ts';
import { Reconciler } from './reconcile/reconciler.ts';
import type { ResourceWatcherOptions } from './resources/resourceWatcher.ts';
import { ResourceWatcher } from './resources/resourceWatcher.ts';
import type { RetentionPeriods, RetentionOptions } from './retention/retention.ts';
import { Retention } from './retention/retention.ts';
import { keyRoutes } from './routes/access/keys.ts';
import { secretRoutes } from './routes/access/secrets.ts';
import { sessionRoutes } from './routes/access/sessions.ts';
import { gatewayRoutes } from './routes/mcp/gateway.ts';
import type { McpRouteOptions } from './routes/mcp/mcp.ts';
import { mcpRoutes } from './routes/mcp/mcp.ts';
import { auditRoutes } from './routes/records/audit.ts';
import { auditCallRoutes } from './routes/records/auditCalls.ts';
import { retentionRoutes } from './routes/records/retention.ts';
import { eventRoutes } from './routes/runs/events.ts';
import { feedRoutes } from './routes/runs/feed.ts';
import { manyRunRoutes } from './routes/runs/manyRuns.ts';
import { questionRoutes } from './routes/runs/questions.ts';
import { rerunRoutes } from './routes/runs/rerun.ts';
import { runRoutes } from './routes/runs/runs.ts';
import { runStatisticsRoutes } from './routes/runs/runStatistics.ts';
import { signalRoutes } from './routes/runs/signals.ts';
import { startRoutes } from './routes/runs/startRuns.ts';
import { deviceRoutes } from './routes/servers/devices.ts';
import type { ServerOptions } from './routes/servers/servers.ts';
import { serverRoutes } from './routes/servers/servers.ts';
import { documentRoutes } from './routes/service/documents.ts';
import { serviceRoutes } from './routes/service/service.ts';
import { systemRoutes } from './routes/service/system.ts';
import { hookListRoute } from './routes/workflows/hookList.ts';
import { hookRoutes } from './routes/workflows/hooks.ts';
import { scheduleRoutes } from './routes/workflows/schedules.ts';
import { workflowRoutes } from './routes/workflows/workflows.ts';
import type { FiringOptions } from './schedules/firing.ts';
import type { TickerOptions } from './schedules/ticker.ts';
import { Ticker } from './schedules/ticker.ts';
import { RunView } from './shapes/runView.ts';

export interface AppParts {
  readonly store: Store;
  readonly clock: SharedClock;
  readonly vault: Vault;
  readonly queue: OpenQueue;
  readonly bus: Bus;
  readonly config: ServersConfig;
  readonly servers: Servers;
  /** Announces servers whose tools changed. Absent: none is announced. */
  readonly changes?: CatalogueChanges | undefined;
  /** Announces servers whose configuration changed. Absent: it never changes. */
  readonly onDisk?: ServerOptions['onDisk'];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly lifecycle: Pick<Lifecycle, 'onStop' | 'stopping'>;
  readonly version: string;
  /** Networks (CIDR) besides public addresses to which callbacks may go. Absent: none. */
  readonly callbackNetworks?: readonly string[];
  /** The host to listen on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  /** The address by which workers and the CLI reach the API. */
  readonly innerUrl?: string | undefined;
  /** Trusted proxies, as addresses or CIDR: their `X-Forwarded-For` counts. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Absent: the defaults. */
  readonly rateLimits?: Partial<RateLimits>;
  /** Unfinished runs that one key, schedule or hook may have. Absent: as in `limits`. */
  readonly runsMost?: number;
  /** Items that the `forEach` steps of one run may have. Absent: as in `limits`. */
  readonly itemsMost?: number;
  /** Runs that may wait for a worker. Absent: as in `limits`. */
  readonly queuedMost?: number;
  /** How long to keep runs and records; absent: for ever. */
  readonly keep?: RetentionPeriods;
  /** Limits of checking a workflow. Absent: the defaults. */
  readonly checkLimits?: Partial<CheckLimits>;
  /** Absent: traces are not collected. */
  readonly tracing?: Tracing | undefined;
  /** The settings to show to people. Absent: none. */
  readonly settings?: readonly Setting[];
  /** The folder of the built page. Absent: the one in its room. */
  readonly pageFolder?: string;
  /** The address to listen on for devices. */
  readonly devices?: { readonly relay: Parameters<typeof deviceRoutes>[1]; readonly texts: DeviceTexts };
}

/** How often the last use of a key is written to Postgres. */
const keyUseEveryMs = 10_000;
/** At most so many runs' open questions are counted. */
const askingMost = 100_000;

/** Resolves to a server that is ready to listen. The lifecycle stops everything that it starts. */
export async function createApp(parts: AppParts): Promise<App> {
  const { store, clock, vault, queue, bus, log, lifecycle, version, host, publicUrl } = parts;
  const positions = (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => lastPositions(store, ids);
  const watches = new RunWatches({ bus, positions, clock });
  lifecycle.onStop('watches', async () => watches.close());
  const readers = new Readers();
  const httpMetrics = httpMetricsOf(parts, readers, watches);
  const basePath = basePathOf(publicUrl);
  const { app, keyring, sessions, cookie, rates } = await openEdge(parts, httpMetrics, basePath);
  const metricsAccess: Access = isLoopback(host) ? 'public' : ['admin'];
  documentRoutes(app, { version, serverUrl: publicUrl, metricsAccess });
  const { bellFailed: onBellFailed } = httpMetrics;
  const plans = cachedPlans(store);
  const book = new CatalogueCache(parts.config, parts.servers, clock);
  const checker = openChecker(parts, app, book);
  const inlines = new InlineWorkflows(store, checker, clock);
  const view = new RunView(plans, store.blobs, clock);
  const { bell } = queue;
  const { journal } = store;
  const onStarted = tellStarted(parts.tracing);
  const checkTools = toolCheck(parts);
  const backlog = new QueueBacklog({ count: (most) => countQueued(store, most), clock, most: parts.queuedMost });
  const quota = runQuotaOf(parts);
  const starter = new Starter({ store, plans, bell, clock, backlog, quota, onBellFailed, onStarted, checkTools });
  const live = { watches, clock, stopping: lifecycle.stopping };
  const { pageFolder: folder = builtPage } = parts;
  const document = await readDocument(folder, basePath);
  // From here on, await nothing: see `pageRoutes`.
  await app.after();
  const retention = startRetention(parts, httpMetrics);
  const readiness = new Readiness({ ping: () => ping(store), queue, clock, retention });
  serviceRoutes(app, { readiness, metrics: parts.metrics, metricsAccess });
  docsRoutes(app, { folder: docsFolder, basePath });
  pageRoutes(app, { folder, document });
  workflowRoutes(app, { store, vault, checker, plans, rates });
  const outbound = startDeliverer(parts, view, httpMetrics);
  startRoutes(app, { store, journal, rates, starter, inlines, watches, view, clock, httpMetrics, outbound });
  const outside = { store, plans, journal, bell, bus, clock, queues: new AppendQueues(), onBellFailed };
  runRoutes(app, { ...outside, view });
  questionRoutes(app, outside);
  signalRoutes(app, outside);
  runStatisticsRoutes(app, { store });
  rerunRoutes(app, { ...outside, plans, backlog, quota });
  manyRunRoutes(app, { ...outside, plans, backlog, quota });
  const triggers = cachedTriggers(store);
  const deployed = new DeployedTriggers(store, triggers);
  if (parts.devices !== undefined) {
    deviceRoutes(app, parts.devices.relay);
    parts.devices.texts.open({ ...live, deployed, starter, journal, view });
  }
  startResourceWatcher(parts, { deployed, starter });
  const firing = { ...outside, starter, triggers, plans, httpMetrics };
  const ticker = startTicker(parts, firing);
  scheduleRoutes(app, { ...firing, ticker });
  hookRoutes(app, { ...firing, vault, notes: new DeliveryNotes(store, clock) });
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
  const face = { positions, checker, rates, starter, watches, view, plans, version, keyring, readers, log, lifecycle };
  mcpFaces(parts, app, book, { ...outside, ...face, backlog, quota });
  startReconciler(parts, httpMetrics);
  return app;
}

const runQuotaOf = ({ store, clock, runsMost: most, itemsMost }: AppParts): RunQuota =>
  new RunQuota({ count: () => countUnderWay(store), clock, most, itemsMost });

async function openEdge(parts: AppParts, httpMetrics: HttpMetrics, basePath: string) {
  const { store, clock, log, host, publicUrl, innerUrl, trustedProxies } = parts;
  const keyring = keyringOf(parts);
  const sessions = new LoginSessions({ store, keyring, clock });
  const cookie = new SessionCookie({ publicUrl, basePath });
  const rates = new Rates(parts.rateLimits);
  const app = createEdge({
    log,
    keyring,
    sessions,
    cookie,
    rates,
    checkHost: hostCheck({ host, publicUrl, innerUrl }),
    trustedProxies,
    basePath,
    onAnswer: (...answer) => httpMetrics.answered(...answer),
  });
  await rates.open(app);
  return { app, keyring, sessions, cookie, rates };
}

/** Baton as an MCP server, and the servers behind it. */
function mcpFaces(
  { store, vault, config, changes }: AppParts,
  app: App,
  book: CatalogueCache,
  face: Omit<McpRouteOptions, 'offers' | 'vault' | 'config' | 'book'>,
): void {
  mcpRoutes(app, { ...face, vault, config, book, offers: new WorkflowTools(store, face.plans) });
  gatewayRoutes(app, { ...face, config, book, changes });
}

function openChecker({ lifecycle, checkLimits }: AppParts, app: App, book: CatalogueCache): Checker {
  const threads = new CheckThreads(checkLimits);
  lifecycle.onStop('checks', () => threads.close());
  app.addHook('onListen', async () => threads.warm());
  return new Checker(threads, book);
}

const httpMetricsOf = ({ store, metrics }: AppParts, readers: Readers, watches: RunWatches): HttpMetrics =>
  httpMetricsIn(metrics, {
    readers: () => readers.count,
    watched: () => watches.size,
    questions: () => countQuestions(store, askingMost),
  });

const tellStarted = (tracing: Tracing | undefined) =>
  tracing &&
  (({ runId, workflow, trigger, startMs, endMs }: NewRun): void => {
    const attributes = { 'baton.workflow': workflow, 'baton.trigger': trigger };
    tracing.tell(runId, { name: `request ${workflow}`, attributes, startMs, endMs });
  });

function keyringOf({ store, clock, log, lifecycle }: AppParts): Keyring {
  const monotonic = (): number => clock.monotonic();
  const keyring = new Keyring({
    load: (id) => getApiKey(store, id),
    failures: new Failures(monotonic),
    monotonic,
    now: () => clock.now(),
  });
  const timer = setInterval(() => {
    const used = keyring.takeUsed();
    if (used.length === 0) return;
    noteApiKeyUse(store, used, clock.now()).catch((error: unknown) =>
      log.warn({ err: error }, 'the times of use of API keys could not be stored'),
    );
  }, keyUseEveryMs);
  lifecycle.onStop('key use', async () => clearInterval(timer));
  return keyring;
}

function startTicker(
  { clock, log, lifecycle }: AppParts,
  firing: FiringOptions & Pick<TickerOptions, 'httpMetrics'>,
): Ticker {
  const onTrouble = (error: Error): void => log.warn({ err: error }, 'due schedules could not be read');
  const onRefused = (schedule: string, at: number, reason: string): void =>
    log.warn({ schedule, instant: new Date(at).toISOString(), reason }, 'the schedule started no run');
  const ticker = new Ticker({ ...firing, refusal: () => clock.whatIsOff(), onRefused, onTrouble });
  lifecycle.onStop('schedules', () => ticker.close());
  ticker.start();
  return ticker;
}

function startDeliverer(
  { store, clock, vault, log, lifecycle, callbackNetworks = [] }: AppParts,
  view: RunView,
  { callback: onTried }: HttpMetrics,
): Outbound {
  const outbound = openOutbound({ loopback: false, networks: callbackNetworks });
  lifecycle.onStop('outbound', () => outbound.close());
  const onTrouble = (error: Error): void => log.warn({ err: error }, 'due callbacks could not be read');
  const onGivenUp = (runId: string, error: string): void =>
    log.warn({ runId, error }, 'the callback was given up after its last try');
  const deliverer = new Deliverer({ store, vault, outbound, view, clock, onTrouble, onGivenUp, onTried });
  lifecycle.onStop('callbacks', () => deliverer.close());
  deliverer.start();
  return outbound;
}

function startFeed({ store, clock, vault, bus, lifecycle }: AppParts): Feed {
  const seal = new PositionSeal(vault.keysFor('positions in the feed'));
  const feed = new Feed({ store, bus, clock, seal });
  lifecycle.onStop('feed', async () => feed.close());
  return feed;
}

function startAudit(parts: AppParts, app: App, retention: Retention): void {
  const { store, clock } = parts;
  auditRoutes(app, { store, sealer: startSealer(parts), clock, retention });
  auditCallRoutes(app, { store });
  retentionRoutes(app, { retention, store });
}

function startSealer({ store, clock, log, lifecycle }: AppParts): Sealer {
  const onTrouble = (error: Error): void => log.warn({ err: error }, 'finished runs could not be sealed');
  const onRefused = (runs: number): void =>
    log.error({ runs }, 'journals of finished runs were changed and get no seal: `baton audit verify` names the first');
  const sealer = new Sealer({ store, clock, onRefused, onTrouble });
  lifecycle.onStop('seals', () => sealer.close());
  sealer.start();
  return sealer;
}

function startRetention({ store, clock, log, lifecycle, keep }: AppParts, httpMetrics: HttpMetrics): Retention {
  const onTrouble = (error: Error): void => log.warn({ err: error }, 'old runs and records could not be removed');
  const onRemoved: RetentionOptions['onRemoved'] = (what, count) => httpMetrics.removed(what, count);
  const forever = { runsMs: Infinity, recordsMs: Infinity };
  const retention = new Retention({ store, clock, keep: keep ?? forever, onRemoved, onTrouble });
  lifecycle.onStop('retention', () => retention.close());
  retention.start();
  return retention;
}

function toolCheck({
  store,
  clock,
  config,
  servers,
  log,
}: AppParts): (definition: string) => Promise<void> | undefined {
  const onDrift = (changes: readonly string[]): void => log.warn({ changes }, 'tools of servers have changed');
  const guard = new DriftGuard({ store, config, servers, clock, onDrift });
  return (definition) => guard.check(definition);
}

function startResourceWatcher(
  { store, clock, servers, log, lifecycle }: AppParts,
  more: Pick<ResourceWatcherOptions, 'deployed' | 'starter'>,
): void {
  const onTrouble = (what: string, error?: unknown): void => log.warn({ err: error }, what);
  const watcher = new ResourceWatcher({ ...more, store, servers, clock, onTrouble });
  lifecycle.onStop('resources', () => watcher.close());
  watcher.start();
}

function startReconciler({ store, clock, queue, bus, log, lifecycle }: AppParts, httpMetrics: HttpMetrics): void {
  const reconciler = new Reconciler({
    store,
    journal: store.journal,
    bell: queue.bell,
    bus,
    clock,
    random: Math.random,
    onRemedy: (remedy, runs) => {
      httpMetrics.remedied(remedy, runs);
      log.info({ remedy, runs }, 'the reconciler woke runs');
    },
    onTrouble: (error) => log.warn({ err: error }, 'the reconciler could not read the runs'),
  });
  lifecycle.onStop('reconciler', () => reconciler.close());
}

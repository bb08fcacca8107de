/** Binds the faces of the orchestrator: the routes of REST, the docs and the page, webhooks, devices, and MCP. */
import type { Access } from '@baton/api';
import { offState } from '@baton/boot';
import { JournalPages, TextSeal, type Retention } from '@baton/control';

import type { AppParts } from './appParts.ts';
import { isForThisMachine } from './bindPolicy.ts';
import { docsRoutes } from './docs/docsRoutes.ts';
import { docsFolder } from './docs/siteFiles.ts';
import type { App } from './http/edge.ts';
import { WorkflowTools } from './mcp/workflowTools.ts';
import type { OpenApp } from './openApp.ts';
import { pageRoutes } from './page/pageRoutes.ts';
import { keyRoutes } from './routes/access/keys.ts';
import { secretRoutes } from './routes/access/secrets.ts';
import { sessionRoutes } from './routes/access/sessions.ts';
import { gatewayRoutes } from './routes/mcp/gateway.ts';
import { mcpRoutes } from './routes/mcp/mcp.ts';
import { auditRoutes } from './routes/records/audit.ts';
import { auditCallRoutes } from './routes/records/auditCalls.ts';
import { retentionRoutes } from './routes/records/retention.ts';
import { evaluateRoute } from './routes/runs/evaluate.ts';
import { eventRoutes } from './routes/runs/events.ts';
import { feedRoutes } from './routes/runs/feed.ts';
import { learnRoute } from './routes/runs/learn.ts';
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
import type { Tasks } from './tend.ts';

/** Awaits nothing: see `pageRoutes`. */
export function bindFaces(parts: AppParts, opened: OpenApp, tasks: Tasks): void {
  const { version, publicUrl } = parts;
  const { app, basePath, page } = opened;
  const metricsAccess: Access = isForThisMachine(parts) ? 'public' : ['admin'];
  documentRoutes(app, { version, serverUrl: publicUrl, metricsAccess });
  bindService(parts, opened, { retention: tasks.retention, metricsAccess });
  docsRoutes(app, { folder: docsFolder, basePath });
  pageRoutes(app, page);
  bindWorkflows(parts, opened, tasks);
  bindRuns(parts, opened, tasks);
  bindAudit(parts, app, tasks);
  bindAccess(parts, opened);
  bindMcp(parts, opened, tasks);
}

function bindWorkflows(parts: AppParts, opened: OpenApp, { ticker }: Tasks): void {
  const { store, clock, secrets, config, servers, onDisk } = parts;
  const { app, checker, plans, rates, firing, deployed, starter, journal, view, live } = opened;
  workflowRoutes(app, { store, secrets, checker, plans, rates });
  if (parts.devices !== undefined) {
    const { relay, texts } = parts.devices;
    deviceRoutes(app, relay);
    store.history.whenLifted(() => texts.open({ ...live, deployed, starter, journal, view }));
  }
  scheduleRoutes(app, { ...firing, ticker });
  hookRoutes(app, { ...firing, secrets });
  hookListRoute(app, { store, deployed });
  systemRoutes(app, { store, clock, settings: parts.settings ?? [] });
  serverRoutes(app, { store, secrets, checker, config, servers, onDisk });
}

function bindRuns({ store, secrets, log }: AppParts, opened: OpenApp, { outbound, feed }: Tasks): void {
  const { app, view, rates, learning, intake, starter, inlines, journal, httpMetrics, readers, sessions } = opened;
  const { appender, live } = opened;
  startRoutes(app, { store, journal, rates, starter, inlines, view, httpMetrics, outbound, ...live });
  runRoutes(app, { ...appender, view });
  questionRoutes(app, appender);
  signalRoutes(app, appender);
  runStatisticsRoutes(app, appender);
  evaluateRoute(app, appender);
  learnRoute(app, { ...appender, secrets, rates, learning });
  rerunRoutes(app, { ...appender, ...intake });
  manyRunRoutes(app, { ...appender, ...intake });
  const streams = { ...live, store, keyring: sessions, log, readers, onCut: httpMetrics.cut };
  eventRoutes(app, { ...streams, pages: new JournalPages(store) });
  feedRoutes(app, { ...streams, feed });
}

function bindAudit({ store, clock }: AppParts, app: App, { sealer, retention }: Tasks): void {
  auditRoutes(app, { store, sealer, clock, retention });
  auditCallRoutes(app, { store });
  retentionRoutes(app, { retention, store });
}

function bindAccess({ store, clock, vault, secrets }: AppParts, { app, keyring, sessions, cookie }: OpenApp): void {
  secretRoutes(app, { store, vault, secrets });
  keyRoutes(app, { store, keyring, clock });
  sessionRoutes(app, { store, sessions, cookie, clock });
}

/** The MCP endpoints: Baton's own tools, and the gateway to the configured servers. */
function bindMcp(parts: AppParts, opened: OpenApp, { ticker }: Tasks): void {
  const { store, vault, secrets, config, changes, version, log, lifecycle, bus: channels } = parts;
  const { app, firing, intake, plans, positions, checker, threads, learning, catalogueCache } = opened;
  const { rates, view, keyring, readers, deployed, live } = opened;
  const relayed = { channels, seal: new TextSeal(vault.keysFor('messages of MCP clients')) };
  const checks = { checker, threads, learning, catalogueCache };
  const face = { positions, ...checks, rates, watches: live.watches, view, keyring, readers, ticker, deployed };
  const options = { ...firing, ...face, ...relayed, ...intake, secrets, config, version, log, lifecycle };
  mcpRoutes(app, { ...options, offers: new WorkflowTools(store, plans) });
  gatewayRoutes(app, { ...options, changes });
}

function bindService(
  { store, clock, metrics, readiness }: AppParts,
  { app, plans, journal }: OpenApp,
  { retention, metricsAccess }: { readonly retention: Retention; readonly metricsAccess: Access },
): void {
  readiness.add('retention', { state: () => offState(retention.warning()), isVital: false });
  serviceRoutes(app, { readiness, metrics, metricsAccess });
  fenceRoutes(app, { store, journal, plans, clock });
}

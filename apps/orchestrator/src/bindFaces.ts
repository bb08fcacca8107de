/** Binds the faces of the orchestrator: the routes of REST, the docs and the page, webhooks, devices, and MCP. */
import { type Access, routes } from '@baton/api';
import { offState } from '@baton/boot';
import { DriftOverview, JournalPages, TextSeal } from '@baton/control';

import type { AppParts } from './appParts.ts';
import { isForThisMachine } from './bindPolicy.ts';
import { docsRoutes } from './docs/docsRoutes.ts';
import { docsFolder } from './docs/siteFiles.ts';
import { WorkflowTools } from './mcp/workflowTools.ts';
import type { OpenApp } from './openApp.ts';
import { pageRoutes } from './page/pageRoutes.ts';
import { keyRoutes, personRoutes, secretRoutes, sessionRoutes } from './routes/access/access.ts';
import { gatewayRoutes } from './routes/mcp/gateway.ts';
import { mcpRoutes } from './routes/mcp/mcp.ts';
import { auditRoutes } from './routes/records/audit.ts';
import { evaluateRoute } from './routes/runs/evaluate.ts';
import { eventRoutes } from './routes/runs/events.ts';
import { feedRoutes } from './routes/runs/feed.ts';
import { learnRoute } from './routes/runs/learn.ts';
import { questionRoutes } from './routes/runs/questions.ts';
import { manyRunRoutes, rerunRoutes, runRoutes, runStatisticsRoutes, undoRoute } from './routes/runs/runs.ts';
import { startRoutes } from './routes/runs/startRuns.ts';
import { deviceRoutes } from './routes/servers/devices.ts';
import { serverRoutes } from './routes/servers/servers.ts';
import { documentRoutes } from './routes/service/documents.ts';
import { serviceRoutes } from './routes/service/service.ts';
import { fenceRoutes, systemRoutes } from './routes/service/system.ts';
import { hookListRoute, hookRoutes } from './routes/workflows/hooks.ts';
import { scheduleRoutes } from './routes/workflows/schedules.ts';
import { workflowRoutes } from './routes/workflows/workflows.ts';
import type { Tasks } from './tend.ts';

/** Awaits nothing: see `pageRoutes`. */
export function bindFaces(parts: AppParts, opened: OpenApp, tasks: Tasks): void {
  // Each face takes what it needs of all that there is.
  const drift = new DriftOverview({ ...parts, ...opened });
  const all = { ...parts, ...opened, ...opened.firing, ...opened.intake, ...opened.live, ...tasks, drift };
  const { version, publicUrl, store } = parts;
  const { app, basePath, page } = opened;
  const metricsAccess: Access = isForThisMachine(parts) ? 'public' : routes.getMetrics.access;
  documentRoutes(app, { version, serverUrl: publicUrl, metricsAccess });
  parts.readiness.add('retention', { state: () => offState(tasks.retention.warning()), isVital: false });
  serviceRoutes(app, { ...all, metricsAccess });
  fenceRoutes(app, all);
  docsRoutes(app, { folder: docsFolder, basePath });
  pageRoutes(app, page);
  workflowRoutes(app, all);
  scheduleRoutes(app, all);
  hookRoutes(app, all);
  hookListRoute(app, all);
  systemRoutes(app, { ...all, settings: parts.settings ?? [] });
  serverRoutes(app, all);
  startRoutes(app, all);
  runRoutes(app, all);
  questionRoutes(app, all);
  runStatisticsRoutes(app, all);
  evaluateRoute(app, all);
  learnRoute(app, all);
  rerunRoutes(app, all);
  undoRoute(app, all);
  manyRunRoutes(app, all);
  const streams = { ...all, keyring: opened.sessions, onCut: opened.httpMetrics.cut };
  eventRoutes(app, { ...streams, pages: new JournalPages(store) });
  feedRoutes(app, streams);
  auditRoutes(app, all);
  secretRoutes(app, all);
  keyRoutes(app, all);
  personRoutes(app, all);
  sessionRoutes(app, all);
  const seal = new TextSeal(parts.vault.keysFor('messages of MCP clients'));
  const mcp = { ...all, channels: parts.bus, seal };
  mcpRoutes(app, { ...mcp, offers: new WorkflowTools(store, opened.plans) });
  gatewayRoutes(app, mcp);
  if (parts.devices === undefined) return;
  const { relay, texts } = parts.devices;
  deviceRoutes(app, relay);
  store.history.whenLifted(() => texts.open(all));
}

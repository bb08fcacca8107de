/** Assembles the orchestrator: the server that answers requests, and the periodic tasks beside it. */
import type { AppParts } from './appParts.ts';
import { bindFaces } from './bindFaces.ts';
import type { App } from './http/edge.ts';
import { openApp } from './openApp.ts';
import { tend } from './tend.ts';

/** Resolves to a server that is ready to listen. The lifecycle stops everything that it starts. */
export async function createApp(parts: AppParts): Promise<App> {
  const opened = await openApp(parts);
  // From here on, await nothing: see `pageRoutes`.
  await opened.app.after();
  bindFaces(parts, opened, tend(parts, opened));
  return opened.app;
}

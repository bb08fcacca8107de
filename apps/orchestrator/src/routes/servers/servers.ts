/** Routes of the configured MCP servers and their tools, prompts and resources. */
import { control } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve, serveAsIs } from '../../http/route.ts';
import { loginReturnRoute } from './serverLogin.ts';

export type ServerOptions = Parameters<typeof control.listServers>[0];

export function serverRoutes(app: App, options: ServerOptions): void {
  serveAsIs(app, control.listServers, options);
  serveAsIs(app, control.getServer, options);
  serveAsIs(app, control.getServerStats, options);
  serveAsIs(app, control.listTools, options);
  serveAsIs(app, control.listPrompts, options);
  serveAsIs(app, control.listResources, options);
  serveAsIs(app, control.testServer, options);
  serveAsIs(app, control.loginToServer, options);
  serveAsIs(app, control.logoutOfServer, options);
  serveAsIs(app, control.listLogins, options);
  serve(app, control.approveServer, options, {
    input: ({ params, body: order }) => ({ ...params, order }),
    answer: (approvals) => approvals,
  });
  loginReturnRoute(app, options);
}

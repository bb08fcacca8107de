/** The route that approves a server's current tools. */

import { routes } from '@baton/api';

import type { ApproveOptions } from '../../deploy/approve.ts';
import { approve } from '../../deploy/approve.ts';
import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface ApproveServerOptions extends ApproveOptions {
  /** Throws `ProblemError` for an unknown server. */
  readonly nameOf: (name: string) => string;
}

export function approveServerRoute(app: App, options: ApproveServerOptions): void {
  route(app, routes.approveServer, async ({ params, body, principal }) => {
    const isPreview = body?.preview === true;
    const approved = await approve(options, options.nameOf(params.name), { principal, isPreview });
    const data = approved.map(({ changes, ...rest }) => ({
      ...rest,
      changes: changes.map((one) => ({ ...one, changes: [...one.changes] })),
    }));
    return { data };
  });
}

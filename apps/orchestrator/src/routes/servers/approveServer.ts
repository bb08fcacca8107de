/** The route that approves a server's current tools. */

import { ProblemError, routes } from '@baton/api';
import { approve, previewApproval, type ApproveOptions } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface ApproveServerOptions extends ApproveOptions {
  /** Throws `ProblemError` for an unknown server. */
  readonly nameOf: (name: string) => string;
}

export function approveServerRoute(app: App, options: ApproveServerOptions): void {
  route(app, routes.approveServer, async ({ params, body, principal }) => {
    const server = options.nameOf(params.name);
    const { digest, workflows } =
      body?.preview === true
        ? await previewApproval(options, server, principal)
        : await approve(options, server, { principal, digest: digestIn(body) });
    const data = workflows.map(({ changes, ...rest }) => ({
      ...rest,
      changes: changes.map((one) => ({ ...one, changes: [...one.changes] })),
    }));
    return { digest, data };
  });
}

/** Throws `ProblemError`: what is approved was shown before. */
function digestIn(body: { readonly digest?: string | undefined } | null | undefined): string {
  if (body?.digest !== undefined) return body.digest;
  const message = '`digest` is missing: send the digest of what is approved, which `preview` returns.';
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/digest', code: 'missing-member', message }],
  });
}

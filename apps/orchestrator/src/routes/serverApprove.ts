/** Accepting a server's tools as they are now. */
import * as z from 'zod';

import type { ApproveOptions } from '../deploy/approve.ts';
import { approve } from '../deploy/approve.ts';
import type { App } from '../http/edge.ts';
import { WorkflowName } from '../shapes/values.ts';

const Approved = z
  .strictObject({
    workflow: WorkflowName,
    version: z.int().meta({ description: 'The newest one now.' }),
    changes: z.array(
      z.strictObject({
        tool: z.string(),
        kind: z
          .enum(['gone', 'contract', 'text'])
          .meta({ description: '`contract`: what a call depends on. `text`: only words.' }),
        changes: z.array(z.string()),
      }),
    ),
    refused: z.string().optional().meta({ description: 'Why the workflow does not go with the tools as they are.' }),
  })
  .meta({ id: 'ApprovedWorkflow' });

const Wanted = z
  .strictObject({ preview: z.boolean().optional().meta({ description: 'Only say what has changed.' }) })
  .meta({ id: 'Approval' });

export interface ServerApproveOptions extends ApproveOptions {
  /** Throws `ProblemError` where there is no such server. */
  readonly nameOf: (name: string) => string;
}

export function serverApproveRoute(app: App, options: ServerApproveOptions): void {
  app.post(
    '/v1/servers/:name/approve',
    {
      config: { access: ['servers:approve'] },
      schema: {
        tags: ['Servers'],
        summary: 'Accept the tools of a server as they are now',
        description:
          'Each deployed workflow that was checked against other tools gets a new version of the same text. Runs that have begun keep theirs.',
        params: z.strictObject({ name: z.string() }),
        body: Wanted.nullish(),
        response: { 200: z.strictObject({ data: z.array(Approved) }).meta({ id: 'Approvals' }) },
      },
    },
    async ({ params, body, principal }) => {
      const isPreview = body?.preview === true;
      const approved = await approve(options, options.nameOf(params.name), { principal, isPreview });
      const data = approved.map(({ changes, ...rest }) => ({
        ...rest,
        changes: changes.map((one) => ({ ...one, changes: [...one.changes] })),
      }));
      return { data };
    },
  );
}

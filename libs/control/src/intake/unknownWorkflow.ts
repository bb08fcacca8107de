/** The problem for an unknown workflow: it names the nearest one that the key may see. */
import { ProblemError } from '@baton/api';
import { didYouMean } from '@baton/expressions';
import { defined, withHint } from '@baton/primitives';
import { type Store, getWorkflow, listWorkflows } from '@baton/store';

import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';

/** The problem for a deployed workflow. `pointer`: its place in the body; undefined if it is in the path. */
export interface NamedWorkflow {
  readonly workflow: string;
  /** Absent: the newest. */
  readonly version?: number | undefined;
  readonly pointer?: string;
}

/** A workflow that the key may not see is reported like an unknown one. Rejects with `UnavailableError`. */
export async function unknownWorkflow(
  store: Store,
  { workflow, version, pointer }: NamedWorkflow,
  principal: Principal,
): Promise<ProblemError> {
  const newest = maySee(principal, workflow) && version !== undefined ? await getWorkflow(store, workflow) : undefined;
  const name = JSON.stringify(workflow.slice(0, 80));
  const message =
    newest === undefined
      ? `No workflow ${name} is deployed.`
      : `The workflow ${name} has no version ${version}; ${newest.version} is the newest.`;
  const hint = newest === undefined ? await nearest(store, workflow, principal) : undefined;
  const detail = withHint(message, hint);
  if (pointer === undefined) return new ProblemError('not-found', detail);
  return new ProblemError('not-found', detail, {
    errors: [{ pointer, code: 'unknown-workflow', message, ...(hint && { hint }) }],
  });
}

async function nearest(store: Store, workflow: string, principal: Principal): Promise<string | undefined> {
  const { workflows } = await listWorkflows(store, {
    limit: 200,
    ...defined({ among: reachOf(principal) }),
  });
  return didYouMean(
    workflow,
    workflows.map(({ id }) => id),
  );
}

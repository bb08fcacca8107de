/** The newest runs, as resources, and as pages of a tool. */
import type { Run } from '@baton/engine';
import type { Store } from '@baton/store';
import { listRuns } from '@baton/store';
import type { Resource } from '@modelcontextprotocol/server';

import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { uriOf } from './runUris.ts';

const runsMax = 50;

/** The newest runs that the key may see. Rejects with `UnavailableError`. */
export async function listedRuns(
  { store }: { readonly store: Store },
  principal: Principal,
): Promise<readonly Resource[]> {
  if (!may(principal, ['runs:read', 'runs:write'])) return [];
  const filter = principal.workflows === undefined ? {} : { workflows: [...principal.workflows] };
  const { runs } = await listRuns(store, filter, { limit: runsMax });
  return runs.map(({ id, workflow, status, createdAt }) => ({
    uri: uriOf(id),
    name: `run of ${workflow}`,
    description: `${status}, requested ${new Date(createdAt).toISOString()}`,
    mimeType: 'application/json',
  }));
}

interface WantedRuns {
  readonly workflow?: string | undefined;
  readonly status?: Run['status'] | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

/** The runs that the key may see. Rejects with `UnavailableError`. */
export async function runsPage(
  { store }: { readonly store: Store },
  principal: Principal,
  { workflow, status, limit, after }: WantedRuns,
): Promise<object> {
  const filter = {
    ...(principal.workflows === undefined ? {} : { workflows: [...principal.workflows] }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(status === undefined ? {} : { statuses: [status] }),
  };
  const { runs, next } = await listRuns(store, filter, { limit, ...(after === undefined ? {} : { after }) });
  const shown = runs.map(({ id, workflow: of, status: now, createdAt, failure }) => ({
    id,
    workflow: of,
    status: now,
    createdAt: new Date(createdAt).toISOString(),
    ...(failure === undefined ? {} : { error: `${failure.code}: ${failure.message}`.slice(0, errorMax) }),
  }));
  return { runs: shown, ...(next === undefined ? {} : { next }) };
}

/** Characters. */
const errorMax = 200;

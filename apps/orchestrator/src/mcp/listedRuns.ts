/** The newest runs, as resources. */
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

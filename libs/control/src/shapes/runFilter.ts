import type { RunFilterQuery } from '@baton/api';
import type { RunFilter } from '@baton/store';

import type { Principal } from '../keys/scopes.ts';

/** Combines the filter of a request with the workflows that the key may see. */
export function runFilterOf(filter: RunFilterQuery, { workflows }: Pick<Principal, 'workflows'>): RunFilter {
  const { status, ...rest } = filter;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as Omit<RunFilter, 'statuses'>),
    ...(status === undefined ? {} : { statuses: status }),
    ...(workflows && { workflows: [...workflows] }),
  };
}

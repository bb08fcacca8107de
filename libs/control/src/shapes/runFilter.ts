import type { RunFilterQuery } from '@baton/api';
import { defined } from '@baton/primitives';
import type { RunFilter } from '@baton/store';

import { reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';

/** Combines the filter of a request with the workflows that the key may see. */
export const runFilterOf = (
  { status, ...filter }: RunFilterQuery,
  principal: Pick<Principal, 'workflows'>,
): RunFilter => defined({ ...filter, statuses: status, workflows: reachOf(principal) });

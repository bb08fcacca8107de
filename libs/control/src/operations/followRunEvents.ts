import { routes } from '@baton/api';

import { operation } from './operation.ts';
import { type ById, type RunRowParts, runRow } from './reach.ts';

/** The run's row, for what reads its journal page by page, or live. */
export const followRunEvents = operation(routes.listRunEvents, {
  reach: (parts: Pick<RunRowParts, 'store' | 'clock'>, caller, input: ById) => runRow(parts, caller, input),
  effects: 'none',
  perform: async (_parts, _caller, _input, run) => run,
});

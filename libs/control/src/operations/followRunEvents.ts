import { routes } from '@baton/api';

import { seesValues } from '../keys/narrowing.ts';
import { eventWithoutValues } from '../shapes/hiddenValues.ts';
import { operation } from './operation.ts';
import { type ById, type RunRowParts, runRow } from './reach.ts';

/** The run's row, for what reads its journal page by page, or live. */
export const followRunEvents = operation(routes.listRunEvents, {
  values: 'hidden',
  reach: (parts: Pick<RunRowParts, 'store' | 'clock'>, caller, input: ById) => runRow(parts, caller, input),
  effects: 'none',
  perform: async (_parts, caller, _input, run) => ({
    run,
    /** Absent: the events are shown as they are. */
    shown: seesValues(caller, run.workflow) ? undefined : eventWithoutValues,
  }),
});

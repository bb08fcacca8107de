/** Operations about a database that went back in time. */
import { routes } from '@baton/api';

import { type FenceLiftOrder, type FenceOptions, letRunsGoOn, showFence } from '../fence/fenceActions.ts';
import { operation } from './operation.ts';
import { allReached } from './reach.ts';

export const getFence = operation(routes.getFence, {
  reach: allReached,
  effects: 'none',
  perform: (parts: FenceOptions, _caller, _input: unknown) => showFence(parts),
});

export const liftFence = operation(routes.liftFence, {
  reach: allReached,
  effects: 'none',
  perform: (parts: FenceOptions, caller, order: FenceLiftOrder) => letRunsGoOn(parts, order, caller),
});

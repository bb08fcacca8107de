import { systemClock } from '@baton/runner';

import { metersContract } from './contracts/meters.ts';
import { MemoryMeters } from './memoryMeters.ts';

metersContract('in memory', async () => {
  const meters = new MemoryMeters(systemClock);
  return { one: meters, other: meters, close: async () => {} };
});

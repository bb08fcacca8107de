import { busContract } from './contracts/bus.ts';
import { MemoryBus } from './memoryBus.ts';

busContract('in memory', async () => {
  const bus = new MemoryBus();
  return { one: bus, other: bus, close: () => bus.close() };
});

import { busContract } from './contracts/bus.ts';
import { channelsContract } from './contracts/channels.ts';
import { MemoryBus } from './memoryBus.ts';

const open = async () => {
  const bus = new MemoryBus();
  return { one: bus, other: bus, close: () => bus.close() };
};
busContract('in memory', open);
channelsContract('in memory', open);

import { bellContract } from './contracts/bell.ts';
import { MemoryBell } from './memoryBell.ts';

bellContract('in memory', async () => {
  const bell = new MemoryBell();
  return { bell, listen: (onBell, options) => bell.listen(onBell, options), close: () => bell.close() };
});

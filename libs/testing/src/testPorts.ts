import { BlobCache, KnownSecrets, systemClock, type Ports } from '@baton/runner';

import { MemoryBell } from './memoryBell.ts';
import { MemoryBus } from './memoryBus.ts';
import { MemoryState } from './memoryState.ts';

type TestPorts = Pick<Ports, 'journal' | 'blobs' | 'plans'> &
  Partial<Omit<Ports, 'calls' | 'journal' | 'blobs' | 'plans'>> & { readonly calls?: Partial<Ports['calls']> };

const unused = async (): Promise<never> => {
  throw new Error('this test does not need it');
};

/** Ports of a worker without neighbours: `own`, and for the rest memory adapters, or a rejection. */
export const testPorts = ({ calls, ...own }: TestPorts): Ports => ({
  worker: 'one',
  cache: new BlobCache(1 << 20),
  models: { sample: unused },
  children: { request: unused, cancel: unused },
  secrets: unused,
  state: new MemoryState(),
  known: new KnownSecrets(),
  bell: new MemoryBell(),
  bus: new MemoryBus(),
  clock: systemClock,
  workers: { isAlive: async () => false },
  fence: { openSince: () => 0 },
  ...own,
  calls: { callTool: unused, getPrompt: unused, readResource: unused, release: () => {}, ...calls },
});

/** The worker, which `workerProcess.ts` describes. Here its code is loaded. */
import { loadWithLittleMemory } from '@baton/boot/little-memory';

await loadWithLittleMemory(() => import('./workerProcess.ts'));

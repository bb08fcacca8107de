/** The server: an orchestrator and a worker in one process, which `serverProcess.ts` describes. Here its code is loaded. */
import { loadWithLittleMemory } from '@baton/boot/little-memory';

await loadWithLittleMemory(() => import('./serverProcess.ts'));

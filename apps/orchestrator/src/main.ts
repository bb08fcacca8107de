/**
 * The orchestrator, which `orchestratorProcess.ts` describes. Here its code is loaded.
 *
 * Folders, lowest first: tools, http, docs, authoring, hooks, mcp, page, gateway, routes, devices.
 */
import { loadWithLittleMemory } from '@baton/boot/little-memory';

await loadWithLittleMemory(() => import('./orchestratorProcess.ts'));

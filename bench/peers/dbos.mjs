/**
 * DBOS as a library: workflows called directly, as many at a time as are asked for; no queue, which would be slower.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';

import { closedLoop } from '../core/loop.ts';
import { serveLoads } from '../core/serveLoads.ts';
import { openEcho } from './echo.mjs';

const stepOf = await openEcho();
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE_URL,
  systemDatabasePoolSize: 20,
  logLevel: 'error',
  applicationVersion: 'v1',
  executorID: 'bench',
});
const workflow = DBOS.registerWorkflow(
  async (kind, steps) => {
    const step = stepOf(kind);
    let last;
    for (let i = 0; i < steps; i += 1) last = await DBOS.runStep(() => step(i), { name: 'echo' });
    return last;
  },
  { name: 'W' },
);
await DBOS.launch();
await serveLoads({
  prepare:
    async ({ kind, steps }) =>
    () =>
      workflow(kind, steps),
  loop: closedLoop,
});

/** Mastra's workflows with its Postgres store, which keeps a snapshot of the run around each step; no queue. */
import { Mastra } from '@mastra/core/mastra';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';

import { closedLoop } from '../core/loop.ts';
import { serveLoads } from '../core/serveLoads.ts';
import { openEcho } from './echo.mjs';

const stepOf = await openEcho();
const storage = new PostgresStore({ id: 'bench', connectionString: process.env.DATABASE_URL, max: 20 });
const io = z.object({ message: z.string() });

function workflowOf(kind, steps) {
  const step = stepOf(kind);
  let workflow = createWorkflow({ id: `${kind}${steps}`, inputSchema: io, outputSchema: io });
  for (let i = 0; i < steps; i += 1) {
    const execute = async () => ({ message: (await step(i)).content[0].text });
    workflow = workflow.then(createStep({ id: `echo${i}`, inputSchema: io, outputSchema: io, execute }));
  }
  return workflow.commit();
}

const kinds = ['W', 'W0'];
const workflows = Object.fromEntries(
  kinds.flatMap((kind) => [1, 3, 10].map((steps) => [`${kind}${steps}`, workflowOf(kind, steps)])),
);
const mastra = new Mastra({ workflows, storage, logger: false });
await storage.init();

await serveLoads({
  prepare: async ({ kind, steps }) => {
    if (!kinds.includes(kind)) return undefined;
    const workflow = mastra.getWorkflow(`${kind}${steps}`);
    return async () => {
      const run = await workflow.createRun();
      const { status } = await run.start({ inputData: { message: 'hello' } });
      if (status !== 'success') throw new Error(`a run is ${status}`);
    };
  },
  loop: closedLoop,
});

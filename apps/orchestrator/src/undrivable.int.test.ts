import { definitionOf, deployWorkflow, getRun } from '@baton/store';
import { freshStore, requestedEvent, tamper } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { startTestWorker } from './testing/testWorker.ts';

test('a worker with one slot drives a run that is younger than two which cannot be driven', async () => {
  const store = await freshStore();
  onTestFinished(() => store.close());
  const deploy = async (workflow: string): Promise<string> => {
    const definition = definitionOf(`workflow: ${workflow}\nsteps:\n  - set: { a: 1 }\n`, 'yaml', {});
    await deployWorkflow(store, { workflow, definition, findings: [], by: 'test' });
    return definition.digest;
  };
  const [broken, whole] = [await deploy('broken'), await deploy('whole')];
  await tamper(store, `update definition set source = source || '# changed' where digest = '${broken}'`);
  const at = Date.now() - 60_000;
  const start = async (definition: string, age: number): Promise<string> =>
    (await store.request({ event: requestedEvent({ at: at + age, definition, inputs: { json: {} } }) })).runId;
  for (const age of [0, 1]) await start(broken, age);
  const runId = await start(whole, 2);
  const worker = await startTestWorker(store.url, {}, { BATON_CONCURRENCY: '1', LOG_LEVEL: 'fatal' });
  onTestFinished(() => worker.stop());
  await expect.poll(async () => (await getRun(store, runId))?.status, { timeout: 60_000 }).toBe('succeeded');
});

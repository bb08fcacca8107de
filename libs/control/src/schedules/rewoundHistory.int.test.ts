import { cachedPlans, definitionOf, deployWorkflow, listEntries, listFirings } from '@baton/store';
import { freshStore, restorePoint, tamper } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { letRunsGoOn, showFence } from '../fence/fenceActions.ts';
import { HandClock, testTicker } from '../testing/testTicker.ts';

const hour = 3_600_000;

test('After Postgres went back in time no schedule fires an instant again, until a person has lifted the fence', async () => {
  const own = await freshStore();
  onTestFinished(() => own.close());
  const clock = new HandClock();
  const text = 'workflow: rewound\non: [{ schedule: "0 * * * *" }]\nsteps: [{ set: { a: 1 } }]\n';
  const definition = definitionOf(text, 'yaml', {});
  await deployWorkflow(own, { workflow: 'rewound', definition, findings: [], by: 'test' });
  const one = testTicker(clock, own);
  await one.tick();
  const point = await restorePoint(own.url);
  const fired = async (): Promise<readonly string[]> =>
    (await listFirings(own, 'rewound.schedule-1', 10)).map(({ instant }) =>
      new Date(instant).toISOString().slice(11, 16),
    );
  clock.at += hour;
  // The first statement may find its connection cut.
  await expect.poll(() => one.tick().catch(() => undefined)).toBeDefined();
  expect(await fired()).toEqual(['13:00']);
  await own.history.look();
  await point.goBack();
  const tick = async (): Promise<unknown> => one.tick().catch((error: Error) => error.message);
  await expect.poll(tick).toContain('Postgres went back in time: it lacks ');
  expect(await fired()).toEqual([]);
  await own.history.look();
  const { entries } = await listEntries(own, { action: 'database.rewound' }, { limit: 10 });
  expect(entries.map(({ by, detail }) => [by, detail])).toEqual([
    ['history', expect.stringContaining('may be lost, although its calls were made') as string],
  ]);
  const options = { store: own, journal: own.journal, plans: cachedPlans(own), clock };
  expect(await showFence(options)).toMatchObject({ stands: true, cause: 'behind' });
  await tamper(own, `update fence set to_at = ${clock.at}`);
  const order = { reason: 'a test', trust: false, makeUp: false };
  expect(await letRunsGoOn(options, order, { by: 'ada' })).toEqual({ runs: 0, schedules: ['rewound.schedule-1'] });
  expect(await showFence(options)).toMatchObject({ stands: false });
  await one.tick();
  clock.at += hour;
  await one.tick();
  expect(await fired()).toEqual(['14:00']);
});

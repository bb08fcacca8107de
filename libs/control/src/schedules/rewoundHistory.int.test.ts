import { definitionOf, deployWorkflow, getSchedule, listEntries, listFirings } from '@baton/store';
import { freshStore, restorePoint } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { confirmHistory } from '../operations/schedules.ts';
import { HandClock, testTicker } from '../testing/testTicker.ts';

const hour = 3_600_000;

test('After Postgres went back in time no schedule fires an instant again, until a person has confirmed it', async () => {
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
  await expect.poll(() => one.tick().catch(() => undefined)).toBeDefined();
  expect(await fired()).toEqual([]);
  expect(await getSchedule(own, 'rewound.schedule-1')).toMatchObject({ paused: { by: 'history' } });
  const { entries } = await listEntries(own, { action: 'database.rewound' }, { limit: 10 });
  expect(entries.map(({ by, detail }) => [by, detail])).toEqual([
    ['history', expect.stringContaining('Postgres went back in time: it lacks ') as string],
  ]);
  expect(own.history.warning()).toContain('may be lost, although its calls were made');
  const ada = { id: 'ada', name: 'Ada', by: 'ada', scopes: new Set(['admin']) };
  expect(await confirmHistory({ store: own, clock }, ada, undefined)).toEqual({ resumed: ['rewound.schedule-1'] });
  expect(own.history.warning()).toBeUndefined();
  await one.tick();
  clock.at += hour;
  await one.tick();
  expect(await fired()).toEqual(['14:00']);
});

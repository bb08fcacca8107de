import { limits } from '@baton/language';
import { planOf, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { decide } from './decide/decide.ts';
import { play } from './play/play.ts';
import { replay } from './state/evolve.ts';

test('a run whose journal has as many events as one may have is stopped, and says so', () => {
  const plan = planOf('workflow: w\nsteps:\n  - { id: a, tool: s/a }\n  - { id: b, tool: s/b }\n');
  const { journal } = play(plan, { answer: () => ({ result: textResult({}) }) });
  const begun = replay('r', journal.slice(0, 3));
  const { events } = decide(plan, { ...begun, seq: limits.run.events }, begun.at, () => undefined);
  expect(events).toMatchObject([{ type: 'run.stopped', failure: { code: 'limit-exceeded' } }]);
  const before = decide(plan, { ...begun, seq: limits.run.events - 1 }, begun.at, () => undefined);
  expect(before.events).not.toMatchObject([{ type: 'run.stopped' }]);
});

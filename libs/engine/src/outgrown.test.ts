import { limits } from '@baton/expressions';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { decide } from './decide/decide.ts';
import { play } from './play/play.ts';
import type { EventOf, RunEvent } from './state/event.ts';
import { replay } from './state/evolve.ts';
import type { RunningRun } from './state/run.ts';

test('a run whose journal has as many events as one may have is stopped, and says so', () => {
  const plan = planOf('workflow: w\nsteps:\n  - { id: a, tool: s/a }\n  - { id: b, tool: s/b }\n');
  const { journal } = play(plan, { answer: () => ({ result: textResult({}) }) });
  const begun = replay('r', journal.slice(0, 3));
  const { events } = decide(plan, { ...begun, seq: limits.run.events }, begun.at, () => undefined);
  expect(events).toMatchObject([{ type: 'run.stopped', failure: { code: 'limit-exceeded' } }]);
  const before = decide(plan, { ...begun, seq: limits.run.events - 1 }, begun.at, () => undefined);
  expect(before.events).not.toMatchObject([{ type: 'run.stopped' }]);
});

describe('a run', () => {
  const plan = planOf('workflow: w\ntimeout: 10s\nbudget: { toolCalls: 5 }\nsteps: [{ id: a, tool: s/a }]\n');
  const [requested, ...rest] = play(plan, { answer: () => ({ result: textResult({}) }) }).journal.slice(0, 3);
  const at = rest.at(-1)?.at ?? 0;
  const eventsOf = (journal: readonly RunEvent[], { toolCalls = 0, lateMs = 0 }): readonly RunEvent[] => {
    const run = replay('r', journal) as RunningRun;
    return decide(plan, { ...run, spent: { toolCalls, tokens: 0, usd: 0 } }, at + lateMs, () => undefined).events;
  };
  const begun = [requested as EventOf<'run.requested'>, ...rest];

  test.each([
    ['its timeout', { lateMs: 20_000 }, 'run-timed-out'],
    ['its budget', { toolCalls: 6 }, 'budget-exceeded'],
  ])('is stopped by %s once, and not where it is being cancelled', (_, now, code) => {
    const [stopped, ...more] = eventsOf(begun, now);
    expect([stopped, more]).toMatchObject([{ type: 'run.stopped', failure: { code } }, []]);
    expect(eventsOf([...begun, stopped as RunEvent], now)).toEqual([]);
    expect(eventsOf([...begun, { type: 'run.cancelRequested', at, by: 'ada' }], now)).toEqual([]);
  });

  test('is stopped by the budget that its parent left it, where that is smaller', () => {
    const [first, ...others] = begun;
    const asked = [{ ...first, budget: { toolCalls: 1 } } as RunEvent, ...others];
    expect(eventsOf(begun, { toolCalls: 2 })).toEqual([]);
    expect(eventsOf(asked, { toolCalls: 2 })).toMatchObject([{ failure: { code: 'budget-exceeded' } }]);
  });
});

describe('a step', () => {
  test('takes as many items as the limit says, and fails where there is one more', () => {
    const plan = planOf(
      'workflow: w\ninputs: { all: { type: array } }\nsteps: [{ forEach: "${{ inputs.all }}", steps: [{ set: { n: 1 } }] }]\n',
    );
    const firstOf = (count: number): RunEvent | undefined => {
      const { journal } = play(plan, { inputs: { all: Array.from({ length: count }, () => 0) } });
      return decide(plan, replay('r', journal.slice(0, 2)), journal[1]?.at ?? 0, () => undefined).events[0];
    };
    const { items } = limits.step;
    expect(firstOf(items)?.type).toBe('step.started');
    expect(firstOf(items + 1)).toMatchObject({
      type: 'step.failed',
      failure: { message: expect.stringContaining(`${items} is the most`) as string },
    });
  });

  test.each(['2000-01-02T10:00:00', '2000-01-02', '1', 'Sun, 02 Jan 2000 10:00:00 GMT'])(
    'fails for %j, which is another instant in another time zone, or of another form than RFC 3339',
    (at) => {
      const plan = planOf(
        'workflow: w\ninputs: { at: { type: string } }\nsteps: [{ wait: { until: "${{ inputs.at }}" } }]\n',
      );
      const { journal } = play(plan, { inputs: { at } });
      const claimedAt = journal[1]?.at ?? 0;
      const [first] = decide(plan, replay('r', journal.slice(0, 2)), claimedAt, () => undefined).events;
      expect(first).toMatchObject({ type: 'step.failed', failure: { code: 'expression-failed' } });
    },
  );

  test('waits until an instant as far away as a wait may be long, and fails for a farther one, never early', () => {
    const plan = planOf(
      'workflow: w\ninputs: { at: { type: string } }\nsteps: [{ wait: { until: "${{ inputs.at }}" } }]\n',
    );
    const firstOf = (aheadMs: number): RunEvent | undefined => {
      const claimedAt = play(plan, { inputs: { at: '2000-01-01T00:00:00Z' } }).journal[1]?.at ?? 0;
      const at = new Date(claimedAt + aheadMs).toISOString();
      const { journal } = play(plan, { inputs: { at } });
      return decide(plan, replay('r', journal.slice(0, 2)), claimedAt, () => undefined).events[0];
    };
    const { waitMs } = limits.step;
    const { awaiting } = firstOf(waitMs) as EventOf<'step.waiting'>;
    expect(awaiting).toMatchObject({ for: 'time' });
    expect(firstOf(waitMs + 1)).toMatchObject({
      type: 'step.failed',
      failure: {
        code: 'expression-failed',
        message: expect.stringContaining('a step waits at most 366 days') as string,
      },
    });
  });
});

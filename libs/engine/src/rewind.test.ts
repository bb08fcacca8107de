import { planOf, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, type SimulatedRun, play, playOn } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { outcome, paths } from './testing/oneCall.ts';

const three = (more = ''): string => `
workflow: three
steps:
  - { id: looked, tool: s/look }
  - id: paid
    tool: s/pay
    with: { amount: 7 }
${more}
  - { id: last, tool: s/look }
`;
const effects = { 's/look': 'read', 's/pay': 'write', 's/find': 'read' } as const;
const rewind = {
  type: 'run.rewound',
  at: 1_700_000_100_000,
  from: 1_700_000_000_000,
  to: 1_700_000_050_000,
  by: 'ada',
} as const;

/** Continues after each beginning of the journal that a snapshot may have, as a lift of the fence lets it. */
function afterEachSnapshot(
  text: string,
  answer: (made: SimulatedCall) => CallResult = () => ({ result: textResult({ found: ['x'] }) }),
): readonly { readonly isMade: boolean; readonly again: SimulatedRun }[] {
  const plan = planOf(text, effects);
  const whole = play(plan, { answer });
  expect(whole.run.status).toBe('succeeded');
  const made = whole.journal.findIndex((event) => event.type === 'step.succeeded' && event.path === 'paid');
  return whole.journal.slice(0, -1).map((_, at) => {
    const journal = [...whole.journal.slice(0, at + 1), rewind];
    return { isMade: at >= made, again: playOn(plan, journal, { answer }) };
  });
}

const paid = ({ calls }: SimulatedRun): string[] => paths(calls).filter((path) => path.startsWith('paid#'));

test('A run that went back in time repeats no write that it made after any snapshot', () => {
  for (const { isMade, again } of afterEachSnapshot(three())) {
    expect(paid(again)).toEqual([]);
    const failed = { status: 'failed', failure: { code: 'outcome-unknown', step: 'paid' } };
    expect(outcome(again.journal)).toMatchObject(isMade ? { status: 'succeeded' } : failed);
  }
});

test('The message of a call that may have been made names the call and the lost time', () => {
  const [first] = afterEachSnapshot(three());
  expect(outcome(first?.again.journal ?? [])).toMatchObject({
    failure: {
      message:
        'The call to s/pay may have been made between 2023-11-14T22:13:20.000Z and 2023-11-14T22:14:10.000Z, in a time that Postgres has lost. Find out at the server before it is done again.',
    },
  });
});

test('After a run went back in time, the check of a write finds out whether it was made', () => {
  const check = '    ifUnknown: check\n    check: { tool: s/find, happened: size(result.output.found) > 0 }';
  for (const found of [[], ['x']])
    for (const { isMade, again } of afterEachSnapshot(three(check), () => ({ result: textResult({ found }) }))) {
      expect(again.run.status).toBe('succeeded');
      expect(paid(again).length).toBe(isMade || found.length > 0 ? 0 : 1);
    }
});

test('After a run went back in time, `ifUnknown: retry` makes a write again', () => {
  for (const { isMade, again } of afterEachSnapshot(three('    ifUnknown: retry'))) {
    expect(again.run.status).toBe('succeeded');
    expect(paid(again).length).toBe(isMade ? 0 : 1);
  }
});

test('After a run went back in time, a keyed write is sent again with its key, but not by a child that another one replaces', () => {
  const keyed = { ...effects, 's/pay': { effect: 'write', from: 'default', idempotency: 'meta' } } as const;
  const plan = planOf(three(), keyed);
  const [requested, ...rest] = play(plan, {}).journal;
  const before = [requested, ...rest.slice(0, 3), rewind] as RunEvent[];
  const { run, calls } = playOn(plan, before);
  expect([run.status, paths(calls).filter((path) => path.startsWith('paid'))]).toEqual(['succeeded', ['paid#2']]);
  const child = { ...(requested as RunEvent), lost: { from: rewind.from, to: rewind.to } } as RunEvent;
  const replaced = playOn(plan, [child]);
  expect([paid(replaced), outcome(replaced.journal)]).toMatchObject([[], { failure: { code: 'outcome-unknown' } }]);
});

test('A call that a client requests after its session went back in time is made, and one from before is not', () => {
  const target = {
    verb: 'tool',
    server: 's',
    tool: 'pay',
    effect: { effect: 'write', from: 'default' },
  } as const;
  const call = (path: string, at: number): RunEvent => ({
    type: 'call.requested',
    at,
    path,
    target,
    arguments: { json: {} },
    by: 'ada',
    digest: path,
  });
  const requested = play(planOf(three(), effects)).journal[0] as RunEvent;
  const session = { ...requested, trigger: { kind: 'session' } } as RunEvent;
  const journal = [session, call('pay-1', rewind.at), rewind, call('pay-2', rewind.at + 1)];
  const { calls } = playOn(planOf(three(), effects), journal);
  expect(paths(calls)).toEqual(['pay-2#1']);
});

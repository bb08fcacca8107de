import type { Plan } from '@baton/language';
import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type AttemptReport, judge } from './decide/judge.ts';
import type { RunEvent } from './state/event.ts';
import { replay } from './state/evolve.ts';

const text = `
workflow: w
steps:
  - id: a
    tool: s/t
    ifUnknown: ask
    retry: { attempts: 3 }
    undo: { tool: s/undo }
`;
const usual = planOf(text);
const goesOn = planOf(`${text}    onError: ignore\n`);

const at = 1_700_000_000_000;
const base = { at, path: 'a', attempt: 1 } as const;
const call = { verb: 'tool', server: 's', tool: 't', arguments: { json: {} }, effect: 'write' } as const;
const failure = { code: 'outcome-unknown', message: 'The answer was lost.' };
const question = { message: 'Did it happen?', form: {} };

const started: RunEvent = { type: 'step.started', ...base, verb: 'tool', call };
const unknown: RunEvent = { type: 'step.unknown', ...base, failure };
const asked: RunEvent = { type: 'step.waiting', ...base, verb: 'tool', awaiting: { for: 'answer', question } };
const answered: RunEvent = { type: 'question.answered', at, path: 'a', answer: { happened: false }, by: 'ada' };
const again: RunEvent = { type: 'step.started', ...base, verb: 'tool', attempt: 2, call };

const handled: RunEvent = { type: 'step.skipped', at, path: 'a/@onError/b', verb: 'set' };

type Reported = Partial<Extract<AttemptReport, { outcome: 'failed' }>> | 'success';

/** What follows from a report on the first attempt, when that has happened. */
const late = (report: Reported, ...happened: RunEvent[]): RunEvent[] => lateIn(usual, report, ...happened);

function lateIn(plan: Plan, report: Reported, ...happened: RunEvent[]): RunEvent[] {
  const requested: RunEvent = {
    type: 'run.requested',
    at,
    workflow: 'w',
    definition: 'd',
    inputs: { json: {} },
    trigger: { kind: 'api' },
    by: 'test',
  };
  const claimed: RunEvent = { type: 'run.claimed', at, worker: 'w1', claim: 1 };
  const run = replay('r', [requested, claimed, started, ...happened]);
  if (report === 'success') return judge(plan, run, { ...base, outcome: 'succeeded', value: { json: textResult(1) } });
  const failed = { code: 'tool-failed', message: 'No.' };
  return judge(plan, run, { ...base, outcome: 'failed', failure: failed, delivery: 'answered', ...report });
}

describe('the end of a call that comes after its outcome was recorded as unknown', () => {
  test.each([
    ['nothing was made of that', [unknown]],
    ['a person was asked', [unknown, asked]],
  ])('is adopted while it is the last word: %s', (_, happened) => {
    expect(late('success', ...happened)).toMatchObject([{ type: 'step.succeeded', path: 'a', undoable: true }]);
    expect(late({}, ...happened)).toMatchObject([{ type: 'step.failed', failure: { code: 'tool-failed' } }]);
  });

  test('that was rejected before it ran is retried where a person was asked, and stays a failure otherwise', () => {
    const refused = { failure: { code: 'server-overloaded', message: 'Later.' }, delivery: 'rejected' } as const;
    expect(late(refused, unknown, asked)).toMatchObject([{ type: 'step.retrying', delivery: 'rejected' }]);
    expect(late(refused, unknown)).toMatchObject([{ type: 'step.failed', failure: { code: 'server-overloaded' } }]);
  });

  test('is not retried where the server answered with a failure that passes: the call may have run in part', () => {
    const answered = { failure: { code: 'server-overloaded', message: 'Later.' }, delivery: 'answered' } as const;
    expect(late(answered, unknown, asked)).toMatchObject([{ type: 'step.failed' }]);
  });

  test('changes nothing where it is unknown, too, or the call was stopped', () => {
    expect(late({ delivery: 'unknown' }, unknown)).toEqual([]);
    expect(late({ aborted: true, delivery: 'unsent' }, unknown)).toEqual([]);
    expect(late({ aborted: true, delivery: 'unsent' }, unknown, asked)).toEqual([]);
  });

  test('is a failure that changes nothing where `onError` lets the run go on, and a success that is adopted', () => {
    expect(lateIn(goesOn, {}, unknown)).toEqual([]);
    expect(lateIn(goesOn, 'success', unknown)).toMatchObject([{ type: 'step.succeeded', path: 'a' }]);
  });

  test('is dropped where something newer exists', () => {
    expect(late('success', unknown, asked, answered)).toEqual([]);
    expect(late('success', unknown, asked, answered, again)).toEqual([]);
    expect(late('success', unknown, again)).toEqual([]);
    expect(late('success', unknown, handled)).toEqual([]);
  });
});

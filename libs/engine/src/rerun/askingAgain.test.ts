import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { type PlayOptions, play } from '../play/play.ts';
import { stateAt } from '../state/locate.ts';
import { type CarriedOutcomes, carryOutcomes } from './carriedOutcomes.ts';
import { carryToVersion } from './carryToVersion.ts';

const inputs = { amount: 1 };
const plan = planOf(`workflow: pay
inputs: { amount: { type: integer } }
steps:
  - { id: rate, tool: bank/rate }
  - { id: child, workflow: confirm }
  - { id: sure, ask: "Pay?", form: { yes: { type: boolean } } }
  - { id: sent, tool: bank/pay, with: { amount: "\${{ inputs.amount }}" } }
`);

const answer: PlayOptions['outside'] = (run) =>
  stateAt(run, 'sure')?.status === 'waiting'
    ? [{ type: 'question.answered', at: run.at, path: 'sure', answer: { yes: true }, by: 'a person' }]
    : [];
const old = play(plan, { inputs, outside: answer, child: () => ({ status: 'succeeded', outputs: { json: {} } }) });
const at = old.nowMs + 1;

const keptPaths = ({ events }: CarriedOutcomes): readonly string[] =>
  events.flatMap((event) => ('path' in event && 'kept' in event ? [event.path] : []));

describe('a rerun from a step after a question', () => {
  const inVersion = (asksAgain: boolean): CarriedOutcomes =>
    carryToVersion(plan, old.journal, {
      at,
      from: 'sent',
      asksAgain,
      runId: old.run.id,
      inputs: { json: inputs },
      blobs: () => undefined,
    });
  const inPlace = (asksAgain: boolean): CarriedOutcomes =>
    carryOutcomes(plan, old.journal, { at, from: 'sent', asksAgain });

  test.each([
    ['with the version of the old run', inPlace],
    ['with a version', inVersion],
  ])('%s keeps the answer, or asks it and child runs again', (_, carried) => {
    expect(old.run.status).toBe('succeeded');
    expect(keptPaths(carried(false))).toEqual(['rate', 'child', 'sure']);
    expect(keptPaths(carried(true))).toEqual(['rate']);
  });

  test('A rerun from a step after a question goes on from the child run without its answers, but not with the inputs of another run', () => {
    const children = new Map([['child', 'old-child']]);
    const keptChildren = (hasNewInputs: boolean) =>
      carryOutcomes(plan, old.journal, { at, from: 'sent', asksAgain: true, hasNewInputs, children }).events.filter(
        ({ type }) => type === 'child.kept',
      );
    expect(keptChildren(false)).toEqual([
      { type: 'child.kept', at, step: 'child', runId: 'old-child', asksAgain: true },
    ]);
    expect(keptChildren(true)).toEqual([]);
  });
});

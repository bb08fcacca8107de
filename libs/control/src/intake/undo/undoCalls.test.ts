import { type CallResult, type SimulatedCall, play } from '@baton/engine';
import { planOf, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { undoCalls } from './undoCalls.ts';
import type { UndoneBefore } from './undoneBefore.ts';

const noBlobs = (): undefined => undefined;
const lost: CallResult = { failure: { code: 'connection-lost', message: 'Lost.' }, delivery: 'unknown' };

const undo = { tool: 'remove', with: { label: '${{ call.arguments.label }}' } };
const check = {
  tool: 'find',
  with: { label: '${{ call.arguments.label }}' },
  happened: 'result.output.found',
  output: 'result.output',
};

const step = (id: string, label: string): string =>
  `{ id: ${id}, tool: s/add, with: { label: ${label} }, onError: ignore }`;

/** What an undo of the run would do. `answers`: of the steps by id. */
function planned(
  steps: readonly string[],
  { answers = {}, undone = new Map() }: { answers?: Readonly<Record<string, CallResult>>; undone?: UndoneBefore } = {},
): { readonly calls: readonly string[]; readonly left: readonly (readonly string[])[] } {
  const plan = planOf(`workflow: w\nsteps: [${steps.join(', ')}]`, { 's/find': 'read' });
  const answer = ({ path }: SimulatedCall): CallResult => answers[path] ?? { result: textResult({}) };
  const { journal } = play(plan, { answer });
  const found = undoCalls({ plan, journal, blobs: noBlobs, declared: () => ({ undo, check }), undone });
  return {
    calls: found.calls.map(
      ({ write, arguments: given }) => `${write.path} ${given === undefined ? '?' : JSON.stringify(given)}`,
    ),
    left: found.left.map(({ write, why }) => [write.path, why]),
  };
}

const same = (path: string): string =>
  `Its undo is the same call as that of ${path}, which is made once. If both need one, make the other by hand.`;

test('Two writes that the same call takes back are undone by one call, and the other is named', () => {
  expect(planned([step('a', 'x'), step('b', 'y'), step('c', 'x')])).toEqual({
    calls: ['c {"label":"x"}', 'b {"label":"y"}'],
    left: [['a', same('c')]],
  });
});

test('A call that an earlier undo made is not made again for another write', () => {
  const steps = [step('a', 'x'), step('b', 'x')];
  expect(planned(steps, { undone: new Map([['b', 'succeeded']]) })).toEqual({ calls: [], left: [['a', same('b')]] });
  expect(planned(steps, { undone: new Map([['b', 'unknown']]) })).toEqual({
    calls: [],
    left: [
      ['b', 'Its undo was called, and whether that happened is not known.'],
      ['a', same('b')],
    ],
  });
});

test('A write of unknown outcome that another write equals stays: its check would find the other one', () => {
  const why = (path: string) =>
    `Whether it happened is not known: its check cannot tell it from ${path}, which was called with the same.`;
  const steps = [step('a', 'x'), step('b', 'x'), step('c', 'y')];
  expect(planned(steps, { answers: { a: lost } })).toEqual({
    calls: ['c {"label":"y"}', 'b {"label":"x"}'],
    left: [['a', why('b')]],
  });
  expect(planned(steps, { answers: { a: lost, b: lost, c: lost } })).toEqual({
    calls: ['c ?', 'b ?'],
    left: [['a', why('b')]],
  });
  expect(planned(steps, { answers: { b: lost } })).toEqual({
    calls: ['c {"label":"y"}', 'a {"label":"x"}'],
    left: [['b', why('a')]],
  });
});

test('What a run wrote of its state stays, and is named', () => {
  const plan = planOf(
    'workflow: w\nstate: { count: { type: integer, default: 0 } }\nsteps: [{ id: add, state: { count: 1 } }]',
  );
  const { journal } = play(plan);
  const found = undoCalls({ plan, journal, blobs: noBlobs, declared: () => ({ undo, check }), undone: new Map() });
  const write = { path: 'add', target: 'state.count', outcome: 'succeeded' };
  expect(found).toEqual({
    calls: [],
    left: [{ write, why: 'State stays as it was written; `baton state set` sets it.' }],
  });
});

import { planOf, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from '../play/play.ts';
import { carryOutcomes } from './carriedOutcomes.ts';
import { pastWrites } from './pastWrites.ts';

const lost: CallResult = { failure: { code: 'connection-lost', message: 'The stream broke.' }, delivery: 'unknown' };
const refused: CallResult = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };
const noBlobs = (): undefined => undefined;

const answering =
  (results: Readonly<Record<string, CallResult | readonly CallResult[]>> = {}) =>
  ({ path, attempt }: SimulatedCall): CallResult =>
    [results[path] ?? []].flat()[attempt - 1] ?? { result: textResult({ id: path }) };

const undo = { 's/t': { undo: { tool: 'u', with: { id: '${{ call.output.id }}' } } } };
const effects = { 's/find': 'read' } as const;
const plan = (steps: string) => planOf(`workflow: w\nsteps:\n${steps}`, effects, {}, undo);

/** What the run wrote, as its journal says it. */
function written(steps: string, results?: Parameters<typeof answering>[0]): unknown[] {
  const { journal } = play(plan(steps), { answer: answering(results) });
  return pastWrites(journal, noBlobs).map(({ path, outcome, undone, mayHaveHappenedBefore }) =>
    [path, outcome, undone, ...(mayHaveHappenedBefore ? ['twice?'] : [])].join(' '),
  );
}

test('The writes of a run are its calls that happened, or may have, in the order in which they ended', () => {
  const steps = `
  - { id: read, tool: s/find }
  - { id: no, tool: s/t, onError: ignore }
  - { id: lost, tool: s/t, onError: ignore }
  - { id: each, forEach: [1, 2], maxParallel: 1, steps: [{ id: a, tool: s/t }] }
  - { id: keyed, tool: s/t, effect: idempotent }`;
  expect(written(steps, { no: refused, lost })).toEqual([
    'lost unknown no',
    'each/0/a succeeded no',
    'each/1/a succeeded no',
    'keyed succeeded no',
  ]);
});

test('A write that was tried again after a lost answer may have happened twice, unless a check found that it had not', () => {
  expect(written('  - { id: a, tool: s/t, ifUnknown: retry }', { a: [lost] })).toEqual(['a succeeded no twice?']);
  const checked = `  - id: a
    tool: s/t
    ifUnknown: check
    check: { tool: s/find, happened: "false" }`;
  expect(written(checked, { a: [lost] })).toEqual(['a succeeded no']);
});

test.each([
  ['the undo was made', {}, 'yes'],
  ['the undo failed', { 'a/@undo/tool-1': refused }, 'no'],
  ['the answer of the undo was lost', { 'a/@undo/tool-1': lost }, 'unknown'],
] as const)('A write of a run that failed says what became of its undo: %s', (_, results, undone) => {
  const steps = '  - { id: a, tool: s/t, undo: declared }\n  - { id: end, fail: it is over }';
  expect(written(steps, results)).toEqual([`a succeeded ${undone}`]);
});

test('What an undo reads of a write has its arguments without those that hold a secret, and its output', () => {
  const steps = '  - { id: a, tool: s/t, with: { n: 1, key: "Bearer ${{ secrets.TOKEN }}" } }';
  const { journal } = play(plan(steps), { answer: answering() });
  expect(pastWrites(journal, noBlobs)).toMatchObject([{ call: { arguments: { n: 1 }, output: { id: 'a' } } }]);
  expect(pastWrites(journal, noBlobs)[0]?.call.arguments).not.toHaveProperty('key');
});

test('The writes of a retry are not those that it kept of the run before', () => {
  const steps = '  - { id: a, tool: s/t }\n  - { id: b, tool: s/t }';
  const { journal } = play(plan(steps), { answer: answering({ b: refused }) });
  const [first] = journal;
  const { events } = carryOutcomes(plan(steps), journal, { at: 0 });
  expect(events.map(({ type }) => type)).toEqual(['step.succeeded']);
  expect(pastWrites([...(first === undefined ? [] : [first]), ...events], noBlobs)).toEqual([]);
});

/** What a retry on another version says of writes whose steps have another id there, or another place. */
import { carryToVersion } from '@baton/engine';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { again, endOf, failingOnce, pathsOf, planOfText, start, treeOf } from '../testing/runAgain.ts';
import { type Move, filesOf, outcomeIn, shapes } from '../testing/treeShapes.ts';
import { callsInTree } from './callsInTree.ts';
import { withChildren } from './pastRun.ts';

const add = (id: string, more = ''): string => `{ id: ${id}, tool: s/add${more} }`;
const failing = '{ id: f, tool: s/f }';

/** `before`: the steps of the root, and of the workflow `part`, in the version that failed at its step `f`. */
test.each([
  ['has another id', [add('a')], [add('aa')], 'aa formerly a, same'],
  ['has another id and other arguments', [add('a')], [add('aa', ', with: { n: 2 }')], 'aa formerly a, other'],
  ['is gone, beside one with the same tool', [add('a')], ['{ id: v, set: { n: 1 } }', add('b')], 'b formerly a, same'],
  ['is in items now', [add('a')], [`{ id: e, forEach: [1], steps: [${add('a')}] }`], 'e/0/a formerly a, same'],
  [
    'has another id in items',
    [`{ id: e, forEach: [1], steps: [${add('a')}] }`],
    [`{ id: e, forEach: [1], steps: [${add('aa')}] }`],
    'e/0/aa formerly e/0/a, same',
  ],
  [
    'is cleaned up with now',
    [add('a')],
    [`{ id: g, steps: [{ id: v, set: { n: 1 } }], finally: [${add('a')}] }`],
    'g/@finally/a formerly a, same',
  ],
  ['gave its id to a `set`', [add('a')], ['{ id: a, set: { n: 1 } }', add('aa')], 'aa formerly a, same'],
  ['is in a child run now', [add('a')], ['{ id: c, workflow: part }'], 'c>p formerly a'],
  ['was in a child run', ['{ id: c, workflow: part }'], [add('aa')], 'aa formerly c>p, same'],
  [
    'is in a child run of a renamed step',
    ['{ id: c, workflow: part }'],
    ['{ id: cc, workflow: part }'],
    'cc>p formerly c>p',
  ],
  [
    'is in a run of its own now',
    [add('a')],
    [`{ id: e, forEach: [1], distribute: true, steps: [${add('a')}] }`],
    'e/*/run>a formerly a',
  ],
])('A retry names a write whose step %s', async (_, before, after, expected) => {
  const tree = treeOf({ root: `steps: [${[...before, failing].join(', ')}]`, part: `steps: [${add('p')}]` });
  failingOnce(tree, 'f');
  const first = await start(tree);
  tree.plans.set('root@2', planOfText(`workflow: root\nsteps: [${[...after, failing].join(', ')}]`));
  tree.newest.set('root', 'root@2');
  const { said, made } = await again(tree, first, { kind: 'retry' }, true);
  const written = said.calls.filter(({ target }) => target === 's/add');
  const arguments_ = { true: ', same', false: ', other', undefined: '' };
  expect(written.map((call) => `${call.path} formerly ${call.formerly}${arguments_[`${call.sameArguments}`]}`)).toEqual(
    [expected],
  );
  expect(written).toMatchObject([{ effect: 'write', outcome: 'succeeded' }]);
  expect(made.filter(({ target }) => target === 's/add')).toHaveLength(1);
});

test('A rerun from a later step names a write whose step has another id', async () => {
  const tree = treeOf({ root: `steps: [${add('a')}, ${failing}]` });
  failingOnce(tree, 'f');
  const first = await start(tree);
  tree.plans.set('root@2', planOfText(`workflow: root\nsteps: [${add('aa')}, ${failing}]`));
  tree.newest.set('root', 'root@2');
  const { said } = await again(tree, first, { kind: 'rerun', from: 'f' }, true);
  expect(said.calls[0]).toMatchObject({ path: 'aa', formerly: 'a', outcome: 'succeeded' });
});

test('A retry on the same version names a write whose step has another id in the newest version of a child', async () => {
  const tree = treeOf({ root: 'steps: [{ id: c, workflow: part }]', part: `steps: [${add('a')}, ${failing}]` });
  failingOnce(tree, 'c>f');
  const first = await start(tree);
  tree.plans.set('part@2', planOfText(`workflow: part\nsteps: [${add('aa')}, ${failing}]`));
  tree.newest.set('part', 'part@2');
  const { said, made } = await again(tree, first, { kind: 'retry' });
  expect(said.calls[0]).toMatchObject({ path: 'c>aa', formerly: 'c>a', sameArguments: true, effect: 'write' });
  expect(pathsOf(made)).toEqual(['c>aa', 'c>f']);
});

test('A retry names no write of a removed step whose tool the new version does not call', async () => {
  const tree = treeOf({ root: `steps: [${add('a')}, ${failing}]` });
  failingOnce(tree, 'f');
  const first = await start(tree);
  tree.plans.set('root@2', planOfText(`workflow: root\nsteps: [{ id: b, tool: s/other }, ${failing}]`));
  tree.newest.set('root', 'root@2');
  const { said } = await again(tree, first, { kind: 'retry' }, true);
  expect(pathsOf(said.calls)).toEqual(['f']);
});

test('A retry does not say which workflow wrote at a step that is gone, where the key does not see it', async () => {
  const tree = treeOf({ root: `steps: [{ id: c, workflow: part }, ${failing}]`, part: `steps: [${add('p')}]` });
  failingOnce(tree, 'f');
  const first = await start(tree);
  const plan = planOfText(`workflow: root\nsteps: [${add('aa')}, ${failing}]`);
  const past = await withChildren(tree.sources, first, tree.eventsOf(first));
  const change = { at: 1, runId: first, inputs: { json: {} }, blobs: () => undefined };
  const carried = carryToVersion(plan, past.events, change);
  const sources = { ...tree.sources, maySee: (workflow: string) => workflow !== 'part' };
  const { calls } = await callsInTree(sources, past, { definition: 'root@2', plan, own: plan, carried });
  expect(calls[0]).toMatchObject({ path: 'aa', formerly: 'c', target: undefined, effect: 'write' });
});

/**
 * Goal: a retry on another version makes no write again that it does not name, wherever the step went.
 * Method: a random tree of runs in which random calls fail, and where each step writes with a tool of its own. Then
 * random steps get another id or another place, and the run is retried on that version.
 */
test('A retry on a version whose steps were renamed or moved repeats no write that it does not name', async () => {
  const moves = ['stays', 'stays', 'renamed', 'intoItem', 'intoChild', 'intoGroup', 'intoFinally'] as const;
  const world = fc.record({ root: shapes, seed: fc.nat(), inTen: fc.integer({ min: 1, max: 4 }), moved: fc.nat() });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(world, async ({ root, seed, inTen, moved }) => {
      const tree = treeOf(filesOf(root, () => 'stays'));
      tree.outcome = outcomeIn(seed, 0, inTen);
      const first = await start(tree);
      if (endOf(tree, first) === 'succeeded') return;
      const written = new Set(tree.ledger.filter(({ outcome }) => outcome !== 'failed').map(({ target }) => target));
      const moveOf = (step: number): Move => moves[(moved + step * 7919) % moves.length] ?? 'stays';
      for (const [name, text] of Object.entries(filesOf(root, moveOf))) {
        tree.plans.set(`${name}@2`, planOfText(`workflow: ${name}\n${text}`));
        tree.newest.set(name, `${name}@2`);
      }
      tree.outcome = () => 'succeeded';
      const { said, made } = await again(tree, first, { kind: 'retry' }, true);
      const named = new Set(said.calls.map(({ target }) => target));
      const repeated = made.filter(({ target }) => target !== 's/read' && written.has(target));
      count += repeated.length;
      expect(repeated.filter(({ target }) => !named.has(target))).toEqual([]);
    }),
    { numRuns: 150 },
  );
  expect(count).toBeGreaterThan(10);
});

/** What a retry or a rerun says that it repeats, and what it repeats: in child runs of every kind, at any depth. */
import { carryOutcomes, nothingCarried, startedPaths } from '@baton/engine';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { again, endOf, failingOnce, pathsOf, planOfText, start, treeOf } from '../testing/runAgain.ts';
import type { RunTree, TreeOutcome } from '../testing/runTree.ts';
import { deployAllAgain, filesOf, outcomeIn, shapes } from '../testing/treeShapes.ts';
import { type CallsInTree, callsInTree } from './callsInTree.ts';
import { withChildren } from './pastRun.ts';

const part = 'steps: [{ id: w, tool: s/write }, { id: r, tool: s/read }, { id: v, tool: s/write }]';

describe('a retry', () => {
  test.each([
    ['of a child run', 'steps: [{ id: c, workflow: part }]', 'c>r'],
    ['two levels down', 'steps: [{ id: m, workflow: middle }]', 'm>c>r'],
    [
      'of an item that is a run of its own',
      `steps: [{ id: e, forEach: [1, 2], distribute: true, ${part} }]`,
      'e/1/run>r',
    ],
    [
      'of an item whose body starts a run',
      'steps: [{ id: e, forEach: [1, 2], distribute: true, steps: [{ id: c, workflow: part }] }]',
      'e/0/run>c>r',
    ],
    ['in a race that no step won', 'steps: [{ until: first, parallel: [{ id: c, workflow: part }] }]', 'c>r'],
  ])('goes on in the middle %s, and repeats nothing', async (_, root, failing) => {
    const tree = treeOf({ root, part, middle: 'steps: [{ id: c, workflow: part }]' });
    failingOnce(tree, failing);
    const first = await start(tree);
    const before = tree.ledger;
    expect(endOf(tree, first)).toBe('failed');
    const { runId, said, made } = await again(tree, first, { kind: 'retry' });
    expect(endOf(tree, runId)).toBe('succeeded');
    expect(said.calls).toMatchObject([{ path: failing, target: 's/read', outcome: 'failed' }]);
    const done = new Set(before.filter(({ outcome }) => outcome === 'succeeded').map(({ path }) => path));
    expect(made.filter(({ path }) => done.has(path))).toEqual([]);
  });

  test('A retry names the calls of a child run that it makes again after a step that was asked for', async () => {
    const tree = treeOf({ root: 'steps: [{ id: a, tool: s/write }, { id: c, workflow: part }]', part });
    const first = await start(tree);
    const { said, made } = await again(tree, first, { kind: 'rerun', from: 'c' });
    expect(said.calls.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'c>w succeeded',
      'c>v succeeded',
      'c>r succeeded',
    ]);
    expect(pathsOf(made)).toEqual(pathsOf(said.calls));
  });

  test('A retry of a retry names what the first run did', async () => {
    const tree = treeOf({
      root: 'steps: [{ id: a, tool: s/write }, { id: c, workflow: part }, { id: z, tool: s/read }]',
      part,
    });
    failingOnce(tree, 'z');
    const second = (await again(tree, await start(tree), { kind: 'retry' })).runId;
    const { said, made } = await again(tree, second, { kind: 'rerun', from: 'a' });
    expect(pathsOf(said.calls)).toEqual(['a', 'c>r', 'c>v', 'c>w', 'z']);
    expect(pathsOf(made)).toEqual(pathsOf(said.calls));
  });

  test('A retry names what an earlier retry of the same run did', async () => {
    const tree = treeOf({ root: part.replace('steps: [', 'steps: [{ id: a, tool: s/write }, ') });
    failingOnce(tree, 'r');
    const first = await start(tree);
    await again(tree, first, { kind: 'retry' });
    const { said, made } = await again(tree, first, { kind: 'retry' });
    expect(said.calls).toMatchObject([{ path: 'v', outcome: 'succeeded' }, { path: 'r' }]);
    expect(pathsOf(made)).toEqual(['r', 'v']);
  });

  test('A retry names what a retry of the child run alone did', async () => {
    const tree = treeOf({ root: 'steps: [{ id: c, workflow: part }]', part });
    failingOnce(tree, 'c>r');
    const first = await start(tree);
    const child = tree.childOf(first, 'c');
    const plan = planOfText(`workflow: part\n${part}`);
    const { events } = carryOutcomes(plan, tree.eventsOf(child), { at: 1, children: new Map() });
    const alone = await tree.run({ workflow: 'part', rerunOf: child }, plan, events, 'c>');
    const { said, made } = await again(tree, first, { kind: 'retry' });
    expect(said.calls).toMatchObject([{ path: 'c>v', outcome: 'succeeded' }, { path: 'c>r' }]);
    expect(pathsOf(made)).toEqual(['c>r', 'c>v']);
    tree.cutOff(alone);
    expect((await again(tree, first, { kind: 'retry' })).said.unfinished).toEqual([alone]);
  });

  test('A retry keeps what a child run did although an earlier retry never got to it', async () => {
    const item = 'steps: [{ id: c, workflow: part }, { id: z, tool: s/write }]';
    const root = `steps: [{ id: e, forEach: [1, 2, 3], maxParallel: 1, distribute: true, ${item} }, { id: y, tool: s/read }]`;
    const tree = treeOf({ root, part });
    failingOnce(tree, 'y');
    const first = await start(tree);
    failingOnce(tree, 'e/0/run>z');
    // It ends with the first item: the others are to go on from what they did, and do not begin.
    const second = await again(tree, first, { kind: 'rerun', from: 'y', asksAgain: true });
    expect([endOf(tree, second.runId), pathsOf(second.made)]).toEqual(['failed', ['e/0/run>z']]);
    const third = await again(tree, second.runId, { kind: 'retry' });
    expect([endOf(tree, third.runId), pathsOf(third.made)]).toEqual(['succeeded', ['e/0/run>z', 'y']]);
  });

  test('A retry asks again in the child run alone where a person’s answer does not hold, and repeats no write', async () => {
    const tree = treeOf({ root: 'steps: [{ id: c, workflow: part }, { id: z, tool: s/read }]', part });
    failingOnce(tree, 'z');
    const first = await start(tree);
    const { said, made } = await again(tree, first, { kind: 'rerun', from: 'z', asksAgain: true });
    expect([pathsOf(said.calls), pathsOf(made)]).toEqual([['z'], ['z']]);
  });

  test('A retry with a mended child repeats no call that both versions make', async () => {
    const tree = treeOf({ root: 'steps: [{ id: c, workflow: part }]', part });
    failingOnce(tree, 'c>r');
    const first = await start(tree);
    tree.plans.set(
      'part@2',
      planOfText(
        `workflow: part\n${part.replace('{ id: r, tool: s/read }', '{ id: r, tool: s/read, with: { mended: true } }')}`,
      ),
    );
    tree.newest.set('part', 'part@2');
    const { said, made } = await again(tree, first, { kind: 'retry' });
    expect(pathsOf(said.calls)).toEqual(['c>r']);
    expect(pathsOf(made)).toEqual(['c>r', 'c>v']);
  });

  test('A retry with a mended version of items that are runs repeats no call that both versions make', async () => {
    const items = (mended: string) =>
      `steps: [{ id: e, forEach: [1, 2, 3], distribute: true, onItemError: collect, steps: [{ id: w, tool: s/write, with: { n: "\${{ item }}", run: "\${{ run.id }}" } }, { id: r, tool: s/read${mended} }] }, { id: all, set: { x: "\${{ steps.e.output.size() }}" } }, { fail: no }]`;
    const tree = treeOf({ root: items('') });
    tree.outcome = (path) => (path.endsWith('r') ? 'failed' : 'succeeded');
    const first = await start(tree);
    tree.plans.set('root@2', planOfText(`workflow: root\n${items(', with: { mended: true }')}`));
    tree.newest.set('root', 'root@2');
    tree.outcome = () => 'succeeded';
    const { said, made } = await again(tree, first, { kind: 'retry' }, true);
    expect(said.calls.filter(({ outcome }) => outcome === 'succeeded')).toEqual([]);
    expect(pathsOf(made).filter((path) => path.endsWith('w'))).toEqual([]);
  });
});

describe('the calls of a run', () => {
  const root = 'steps: [{ id: c, workflow: part }, { id: z, tool: s/read }]';
  const work = async (tree: RunTree, runId: string, more: Partial<typeof tree.sources> = {}): Promise<CallsInTree> => {
    const plan = planOfText(`workflow: root\n${root}`);
    const past = await withChildren(tree.sources, runId, tree.eventsOf(runId));
    const next = { definition: 'root', plan, own: plan, carried: nothingCarried };
    return callsInTree({ ...tree.sources, ...more }, past, next);
  };

  test('The calls of a run in a child run that is not kept any more are counted as unknown', async () => {
    const tree = treeOf({ root, part });
    const runId = await start(tree);
    tree.remove(tree.childOf(runId, 'c'));
    expect(await work(tree, runId)).toMatchObject({ calls: [{ path: 'z' }], unread: 1 });
  });

  test('The calls of a run in a workflow that the key does not see are counted, and not named', async () => {
    const tree = treeOf({ root, part });
    const { calls } = await work(tree, await start(tree), { maySee: (workflow) => workflow !== 'part' });
    const hidden = { path: 'c', target: undefined, outcome: 'succeeded' };
    expect(calls).toMatchObject([
      { ...hidden, effect: 'write' },
      { ...hidden, effect: 'write' },
      { path: 'z' },
      hidden,
    ]);
  });

  test('The calls of a run in a child run that goes on are not all known', async () => {
    const tree = treeOf({ root, part });
    const runId = await start(tree);
    const child = tree.childOf(runId, 'c');
    tree.cutOff(child);
    expect((await work(tree, runId)).unfinished).toEqual([child]);
  });

  test('The calls of a run in a child run that was undone are made again, all of them', async () => {
    const undone = 'steps: [{ id: c, workflow: part, undo: { tool: s/read } }, { id: z, tool: s/write }]';
    const tree = treeOf({ root: undone, part });
    failingOnce(tree, 'z');
    const { said, made } = await again(tree, await start(tree), { kind: 'retry' });
    expect(pathsOf(said.calls)).toEqual(['c>r', 'c>v', 'c>w', 'z']);
    expect(pathsOf(made)).toEqual(pathsOf(said.calls));
  });
});

test.each([
  ['at the top', 'ENSURED', ''],
  ['in a `parallel`', '{ parallel: [ENSURED, { id: b, tool: s/read }] }', ''],
  ['in a race', '{ until: first, parallel: [ENSURED] }', ''],
  ['in a round', '{ id: r, repeat: { max: 1, until: "true", steps: [ENSURED] } }', 'r/0/'],
  ['in an item', '{ id: e, forEach: [1], steps: [ENSURED] }', 'e/0/'],
  ['in an item that is a run of its own', '{ id: e, forEach: [1, 2], distribute: true, steps: [ENSURED] }', 'e/1/run>'],
])('A retry reads again what a step %s could not ensure, and names no write', async (_, steps, prefix) => {
  const ensured = '{ id: a, tool: s/write, ensure: [{ tool: s/read, that: "true" }] }';
  for (const newest of [false, true]) {
    const tree = treeOf({ root: `steps: [${steps.replace('ENSURED', ensured)}]` });
    tree.outcome = (path) => (path.startsWith(`${prefix}a/@ensure`) ? 'failed' : 'succeeded');
    const first = await start(tree);
    expect(endOf(tree, first)).toBe('failed');
    tree.outcome = () => 'succeeded';
    if (newest) deployAllAgain(tree, 2);
    const { said, made } = await again(tree, first, { kind: 'retry' }, newest);
    expect(said.calls.map(({ target, outcome }) => `${target} ${outcome}`)).toEqual(['s/read failed']);
    expect(pathsOf(said.calls)).toEqual(pathsOf(made.filter(({ path }) => path.startsWith(prefix))));
  }
});

test('A retry that reads an `ensure` again repeats the `finally` alone, and names it', async () => {
  const group = `{ id: g, steps: [{ id: a, tool: s/write, ensure: [{ tool: s/read, that: "true" }] }], finally: [{ id: z, tool: s/write }] }`;
  const tree = treeOf({ root: `steps: [${group}]\nfinally: [{ id: y, tool: s/write }]` });
  tree.outcome = (path) => (path.includes('@ensure') ? 'failed' : 'succeeded');
  const first = await start(tree);
  tree.outcome = () => 'succeeded';
  const { said, made } = await again(tree, first, { kind: 'retry' });
  const written = made.filter(({ target }) => target === 's/write').map(({ path }) => path);
  expect(written).toEqual(['g/@finally/z', '@finally/y']);
  expect(pathsOf(said.calls.filter(({ effect }) => effect === 'write'))).toEqual(written.toSorted());
});

describe('a call whose outcome is in doubt', () => {
  test('A call whose outcome is in doubt is named as one that may have happened, although a later attempt failed', async () => {
    const tree = treeOf({
      root: 'steps: [{ id: w, tool: s/write, ifUnknown: retry, retry: { attempts: 2, on: [timeout] } }]',
    });
    const outcomes: TreeOutcome[] = ['unknown', 'failed'];
    tree.outcome = () => outcomes.shift() ?? 'succeeded';
    const { said } = await again(tree, await start(tree), { kind: 'retry' });
    expect(said.calls).toMatchObject([{ path: 'w', outcome: 'unknown' }]);
  });

  test.each([
    ['of the run', `steps: [{ id: w, tool: s/write }, { id: r, tool: s/read }]`, 'w', 'r'],
    ['of a child run', 'steps: [{ id: c, workflow: part }]', 'c>w', 'c>r'],
    ['two levels down', 'steps: [{ id: m, workflow: middle }]', 'm>c>w', 'm>c>r'],
    [
      'of an item that is a run of its own',
      `steps: [{ id: e, forEach: [1], distribute: true, ${part} }]`,
      'e/0/run>w',
      'e/0/run>r',
    ],
  ])('a retry of the outermost run does what a person says of a lost call %s', async (_, root, path, after) => {
    for (const newest of [false, true])
      for (const happened of [true, false]) {
        const tree = treeOf({ root, part, middle: 'steps: [{ id: c, workflow: part }]' });
        tree.outcome = (one) => (one === path ? 'unknown' : 'succeeded');
        const first = await start(tree);
        expect(endOf(tree, first)).toBe('failed');
        tree.outcome = () => 'succeeded';
        if (newest) deployAllAgain(tree, 2);
        const told = [{ path, happened, by: 'a person' }];
        const { runId, said, made } = await again(tree, first, { kind: 'retry', told }, newest);
        expect(endOf(tree, runId)).toBe('succeeded');
        expect([...said.told]).toEqual([path]);
        const lookup = { by: 'person', happened: false };
        expect(said.calls).toMatchObject(happened ? [] : [{ path, outcome: 'unknown', lookup, mayBeTold: true }]);
        const paths = new Set(made.map((call) => call.path));
        expect([paths.has(path), paths.has(after)]).toEqual([!happened, true]);
      }
  });

  test('a retry says of a call that no such one is lost', async () => {
    const tree = treeOf({ root: 'steps: [{ id: w, tool: s/write }, { id: v, tool: s/write }]' });
    failingOnce(tree, 'v');
    const told = ['w', 'v', 'x', 'c>w'].map((path) => ({ path, happened: true, by: 'a person' }));
    const { said, made } = await again(tree, await start(tree), { kind: 'retry', told });
    expect([said.told.size, pathsOf(made)]).toEqual([0, ['v']]);
  });
});

/**
 * Goal: the calls that are named are those that the ledger shows as repeated, and a retry repeats no call that succeeded.
 * Method: a random tree of runs in which random calls fail. Three times it is retried, or run again from a random step,
 * and other calls fail; sometimes an earlier run is taken, not the newest. What was made before and is made again must have been named. Where nothing fails in the new
 * run, everything that was named is made again.
 */
test('a tree of runs repeats what was said, and no more', { timeout: 120_000 }, async () => {
  const kinds = fc.array(fc.constantFrom('retry', 'retry', 'rerun', 'mend', 'askAgain'), {
    minLength: 3,
    maxLength: 3,
  });
  const world = fc.record({
    root: shapes,
    seed: fc.nat(),
    inTen: fc.integer({ min: 1, max: 4 }),
    kinds,
    from: fc.nat(),
    older: fc.nat({ max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ root, seed, inTen, kinds: rounds, from, older }) => {
      const tree = treeOf(filesOf(root));
      tree.outcome = outcomeIn(seed, 0, inTen);
      const runIds = [await start(tree)];
      const happened = new Set(tree.ledger.filter(({ outcome }) => outcome !== 'failed').map(({ path }) => path));
      let isOnlyRetried = true;
      for (const [at, wanted] of rounds.entries()) {
        const isOlder = older === at + 7;
        const runId = runIds.at(isOlder ? 0 : -1) ?? '';
        isOnlyRetried &&= !isOlder || at === 0;
        const kind = wanted === 'retry' && endOf(tree, runId) !== 'succeeded' ? 'retry' : 'rerun';
        if (wanted === 'mend') deployAllAgain(tree, at);
        const begun = startedPaths(tree.eventsOf(runId)).filter((path) => !path.includes('@'));
        const step = begun[from % Math.max(1, begun.length)];
        tree.outcome = outcomeIn(seed, at + 1, at === rounds.length - 1 ? 0 : inTen - 1);
        const more = {
          ...(kind === 'rerun' && step !== undefined && { from: step }),
          asksAgain: wanted === 'askAgain',
        };
        const rerun = await again(tree, runId, { kind, ...more }, wanted === 'mend');
        const named = new Set(pathsOf(rerun.said.calls));
        const made = pathsOf(rerun.made);
        expect(made.filter((path) => happened.has(path) && !named.has(path))).toEqual([]);
        isOnlyRetried &&= kind === 'retry';
        // A group that goes on cleans up again.
        const done = rerun.said.calls.filter(
          ({ outcome, path }) => outcome === 'succeeded' && !path.includes('@finally'),
        );
        expect(isOnlyRetried ? done : []).toEqual([]);
        const isWhole =
          endOf(tree, rerun.runId) === 'succeeded' && rerun.made.every(({ outcome }) => outcome === 'succeeded');
        const isExact = !JSON.stringify(root).includes('race') && !rounds.includes('mend');
        const unmade = [...named].filter((path) => !made.includes(path));
        expect(isWhole && isExact ? unmade : []).toEqual([]);
        for (const { path, outcome } of rerun.made) if (outcome !== 'failed') happened.add(path);
        runIds.push(rerun.runId);
      }
    }),
    { numRuns: 100 },
  );
});

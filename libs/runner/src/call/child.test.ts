/** The person behind the outermost run, in the requests of the runs below it. */
import { expect, test } from 'vitest';

import { treeOf } from '../testing/runAgain.ts';

const ana = { id: 'person-ana', name: 'ana' };
const texts = {
  root: 'steps: [{ id: m, workflow: middle }]',
  middle: 'steps: [{ id: e, forEach: [1], distribute: true, steps: [{ id: c, workflow: leaf }] }]',
  leaf: 'steps: [{ set: { a: 1 } }]',
};

/** The persons of the runs below the root, outermost first. */
async function personsBelow(person: typeof ana): Promise<readonly unknown[]> {
  const tree = treeOf(texts);
  const plan = tree.plans.get('root');
  if (plan === undefined) throw new Error('there is no root');
  const root = await tree.run({ workflow: 'root', person }, plan);
  const middle = tree.childOf(root, 'm');
  const item = tree.childOf(middle, 'e/0/run');
  return [middle, item, tree.childOf(item, 'c')].map((runId) => {
    const [first] = tree.eventsOf(runId);
    return first?.type === 'run.requested' ? first.person : first;
  });
}

test('Runs below one that a person asked for know that they agreed to what was deployed when they asked.', async () => {
  const told = { ...ana, agreed: { workflow: 'root', at: 1_700_000_000_000 } };
  expect(await personsBelow(ana)).toEqual([told, told, told]);
});

test('What the outermost run says of an agreement, or of none, is said of all below it.', async () => {
  const agreed = { ...ana, agreed: { workflow: 'nightly', version: 7 } };
  expect(await personsBelow(agreed)).toEqual([agreed, agreed, agreed]);
  const refused = { ...agreed, notAgreed: 'bob deployed it later' };
  expect(await personsBelow(refused)).toEqual([refused, refused, refused]);
});

/** To which texts of child workflows a person has agreed. */
import { definitionOf, deployWorkflow, proofAuthor } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { agreedPerson } from './agreedPerson.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const ana = { id: 'person-a', name: 'ana' };
const [byAna, byBob] = ['ana (person-a) via ci (k1)', 'bob (person-b)'];

/** `text`: another one makes a version. */
const deploy = (at: number, workflow: string, text: string, by: string) => {
  const definition = definitionOf(`workflow: ${workflow}\nsteps: [{ set: { a: ${text} } }]\n`, 'yaml', {});
  return deployWorkflow({ ...store, now: () => at }, { workflow, definition, findings: [], by });
};

const refusal = async (person: Parameters<typeof agreedPerson>[1], workflow: string, version: number) =>
  (await agreedPerson(store, person, { workflow, version }))?.notAgreed;

test('Who asked for a run agreed to what was deployed until then, and to what they deployed themselves.', async () => {
  await deploy(1_000, 'asked', '1', byBob);
  await deploy(3_000, 'asked', '2', byBob);
  await deploy(3_000, 'asked', '3', byAna);
  const person = { ...ana, agreed: { workflow: 'outer', at: 2_000 } };
  expect(await refusal(person, 'asked', 1)).toBeUndefined();
  expect(await refusal(person, 'asked', 2)).toBe(
    'bob deployed asked 2 after ana had asked for a run of outer: ana’s login is not used for it. ana runs it again.',
  );
  expect(await refusal(person, 'asked', 3)).toBeUndefined();
});

test('Who deployed a trigger agrees to later texts by deploying it again; another person cannot do so for them.', async () => {
  await deploy(1_000, 'nightly', '1', byAna);
  await deploy(2_000, 'look', '1', byBob);
  await deploy(2_500, 'nightly', '1', byBob);
  const person = { ...ana, agreed: { workflow: 'nightly', version: 1 } };
  expect(await refusal(person, 'look', 1)).toContain('bob deployed look 1 after ana had deployed nightly 1');
  expect(await deploy(3_000, 'nightly', '1', 'ana (person-a)')).toMatchObject({ version: 1, isNew: false });
  expect(await refusal(person, 'look', 1)).toBeUndefined();
});

test('A proof that pins a text anew takes no agreement away, and gives none.', async () => {
  await deploy(1_000, 'pinned', '1', byBob);
  await deploy(2_000, 'outermost', '1', byAna);
  await deploy(3_000, 'pinned', '2', proofAuthor);
  const person = { ...ana, agreed: { workflow: 'outermost', version: 1 } };
  expect(await refusal(person, 'pinned', 2)).toBeUndefined();
  await deploy(4_000, 'pinned', '3', byBob);
  await deploy(5_000, 'outermost', '2', proofAuthor);
  const later = { ...ana, agreed: { workflow: 'outermost', version: 2 } };
  expect(await refusal(later, 'pinned', 3)).toContain('ana’s login is not used');
});

test('What a text without agreement calls has none either, and a key without a person agrees for none.', async () => {
  await deploy(1_000, 'old', '1', byAna);
  await deploy(9_000, 'shared', '1', 'ci (k2)');
  const person = { ...ana, agreed: { workflow: 'outer', at: 2_000 } };
  for (const workflow of ['old', 'shared'])
    expect(await refusal({ ...person, notAgreed: 'as above' }, workflow, 1)).toBe('as above');
  expect(await refusal(person, 'shared', 1)).toContain('ci (k2) deployed shared 1');
  expect(await agreedPerson(store, undefined, { workflow: 'shared', version: 1 })).toBeUndefined();
});

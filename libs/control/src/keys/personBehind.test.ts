import { expect, test } from 'vitest';

import { personBehind, personIn } from './personBehind.ts';

test('who deployed is the owner, also through a key or a client of theirs', () => {
  const ana = { id: 'person-x7Qk2mPz91Lb', name: 'ana' };
  expect(personIn('ana (person-x7Qk2mPz91Lb)')).toEqual(ana);
  expect(personIn('ana (person-x7Qk2mPz91Lb) via ci (a1b2c3d4e5f6)')).toEqual(ana);
  expect(personIn('bob (https://idp.example#u%28%29) via ci (a1b2c3d4e5f6)')).toEqual({
    id: 'https://idp.example#u%28%29',
    name: 'bob',
  });
});

test.each(['ci (a1b2c3d4e5f6)', 'admin', 'schedule pay.nightly', 'repinning', '', undefined, 'person-x7Qk2mPz91Lb'])(
  '%j is no person',
  (written) => {
    expect(personIn(written)).toBeUndefined();
  },
);

test('a client acts for the person who connected it, and a key that is no person’s acts for no person', () => {
  const actor = { kind: 'person', id: 'person-a', name: 'ana' } as const;
  const holder = { id: 'person-a', name: 'ana', by: 'ana (person-a)', scopes: new Set<string>(), actor };
  const client = { id: 'c', name: 'desk', digest: Buffer.of(), holder };
  expect(personBehind({ client })).toEqual({ id: 'person-a', name: 'ana' });
  expect(personBehind({ actor: { kind: 'key', id: 'k', name: 'ci' } })).toBeUndefined();
  expect(
    personBehind({ client: { ...client, holder: { ...holder, actor: { kind: 'key', id: 'k', name: 'ci' } } } }),
  ).toBeUndefined();
});

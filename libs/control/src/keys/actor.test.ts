import { describe, expect, test } from 'vitest';

import { type Actor, isSameActor, isWritableName, writableName, writtenAs } from './actor.ts';

const ana = { id: 'https://id.example#ana', name: 'Ana Lopez' };
const married = { ...ana, name: 'Ana Ruiz' };
const ci = { id: 'k1', name: 'ci' };

describe('who a record names', () => {
  test.each<[string, Omit<Actor, 'kind'> | string, Omit<Actor, 'kind'> | string, boolean]>([
    ['a person with another name now is the same', ana, married, true],
    ['a person through the same key is the same', { ...ana, via: ci }, { ...married, via: ci }, true],
    ['a person through another key is not the same', { ...ana, via: ci }, { ...ana, via: { ...ci, id: 'k2' } }, false],
    ['a person is not the same through a key', ana, { ...ana, via: ci }, false],
    ['another person of the same name is not the same', ana, { ...ana, id: 'https://id.example#eve' }, false],
    ['what has no id is known by its text', 'baton', 'baton', true],
    ['what has no id is not another text', 'baton', 'schedule nightly', false],
  ])('%s', (_, one, other, isSame) => {
    const text = (actor: Omit<Actor, 'kind'> | string) => (typeof actor === 'string' ? actor : writtenAs(actor));
    expect(isSameActor(text(one), text(other))).toBe(isSame);
  });
});

test.each([
  ['Ana (Lopez)', 'Ana Lopez'],
  ['Ana\u2028admin', 'Anaadmin'],
  ['\u202EanA\u0007', 'anA'],
  ['x'.repeat(300), 'x'.repeat(100)],
])('of the name %j that another gives, %j is written', (name, written) => {
  expect(writableName(name, 100)).toBe(written);
  expect(isWritableName(written)).toBe(true);
  expect(name.length > 100 || isWritableName(name)).toBe(name.length > 100);
});

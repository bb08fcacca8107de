/** The list of safeguards cannot rot: each can still be switched off, and the tests named for it are there. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { mutations } from './sabotage/mutations.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test.each(mutations)('$safeguard: can be switched off in one place', ({ file, find, replace, shownBy }) => {
  const places = readFileSync(root + file, 'utf8').split(find).length - 1;
  expect(places, `"${find}" in ${file}`).toBe(1);
  expect(replace).not.toBe(find);
  expect(shownBy.filter((path) => !path.endsWith('.test.ts') || !existsSync(root + path))).toEqual([]);
  expect(shownBy).not.toEqual([]);
});

test('each is named once', () => {
  const names = mutations.map(({ safeguard }) => safeguard);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

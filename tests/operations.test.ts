import { readFileSync, readdirSync } from 'node:fs';

import { failureCodes } from '@baton/engine';
import { describe, expect, test } from 'vitest';

const pageOf = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');

const operations = pageOf('operations.md');
const security = pageOf('security.md');
const serverFaults = pageOf('reference/server-faults.md');

const rowsOf = (page: string): string[] =>
  page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (what|who|promise|---)/.test(line));

/** `file` "part of a test's name", "part of another test's name" */
const shownIn = (page: string): readonly { file: string; name: string }[] =>
  [...page.matchAll(/`([^`\s]+\.ts)`((?:,? "[^"]+")*)/g)].flatMap(([, file = '', names = '']) =>
    names === '' ? [{ file, name: '' }] : [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
  );

const shown = [operations, security, serverFaults].flatMap((page) =>
  shownIn(page).filter(({ file }) => file.includes('/')),
);

/** What stands first in `test(…)`, `describe(…)`, `test.each(…)(…)`, and in the rows of the latter. */
const titlesIn = (code: string): string[] =>
  [...code.matchAll(/(?:\b(?:test|describe)\(|\)\(|^ +\[)\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm)].map(
    ([, , title = '']) => title,
  );

test('docs/operations.md names a test for everything that may die', () => {
  const claims = rowsOf(operations).filter((row) => row.split(' | ').length === 3);
  expect(claims.length).toBeGreaterThan(30);
  expect(claims.filter((row) => !/`[^`]+\.ts` "/.test(row))).toEqual([]);
});

test('docs/security.md names a test for everything that it promises', () => {
  const promises = security.slice(security.indexOf('## What is promised'), security.indexOf('## What is not promised'));
  const claims = rowsOf(promises);
  expect(claims.length).toBeGreaterThan(20);
  expect(claims.filter((row) => !/`[^`]+\.test\.ts`|`tests\/\w+\.ts` "/.test(row))).toEqual([]);
});

describe('docs/reference/server-faults.md', () => {
  test('docs/reference/server-faults.md names a test for each fault of a server', () => {
    const faults = rowsOf(serverFaults);
    expect(faults.length).toBeGreaterThan(40);
    expect(faults.filter((row) => !/`[^`]+\.test\.ts` "/.test(row))).toEqual([]);
  });

  test('docs/reference/server-faults.md has each code that reaching a server fails with, and no code that does not exist', () => {
    const room = new URL('../libs/transports/src/', import.meta.url);
    const sources = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !/test\.ts$|^testing\//.test(file),
    );
    const texts = sources.flatMap((file) => [...readFileSync(new URL(file, room), 'utf8').matchAll(/'([a-z-]+)'/g)]);
    const used = new Set(texts.map(([, text = '']) => text).filter((text) => Object.hasOwn(failureCodes, text)));
    expect(used.size).toBeGreaterThan(10);
    const columns = rowsOf(serverFaults).map((row) => row.split(' | ')[1] ?? '');
    const named = new Set(columns.flatMap((column) => [...column.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code)));
    expect([...used].filter((code) => !named.has(code))).toEqual([]);
    expect([...named].filter((code) => !Object.hasOwn(failureCodes, code ?? ''))).toEqual([]);
  });
});

describe('what they name is there', () => {
  test.each(shown)('$file: $name', ({ file, name }) => {
    // Contracts, and the tests of authors and agents, are run by other files; limits are no test.
    expect(file).toMatch(
      /\.test\.ts$|^libs\/testing\/src\/contracts\/|^tests\/(?:authoring|gatewayAgents)\.ts$|limits\.ts$/,
    );
    const titles = titlesIn(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
    expect(name === '' || titles.some((title) => title.includes(name))).toBe(true);
  });
});

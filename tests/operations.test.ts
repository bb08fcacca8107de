import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');

const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (what|---)/.test(line));

/** `file` "part of a test's name" */
const shown = [...page.matchAll(/`([^`\s]+\.ts)` "([^"]+)"/g)].map(([, file = '', name = '']) => ({ file, name }));

/** What stands first in `test(…)`, `describe(…)`, `test.each(…)(…)`, and in the rows of the latter. */
const titlesIn = (code: string): string[] =>
  [...code.matchAll(/(?:\b(?:test|describe)\(|\)\(|^ +\[)\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm)].map(
    ([, , title = '']) => title,
  );

describe('docs/operations.md', () => {
  test('names a test for everything that may die', () => {
    const claims = rows.filter((row) => row.split(' | ').length === 3);
    expect(claims.length).toBeGreaterThan(30);
    expect(claims.filter((row) => !/`[^`]+\.ts` "/.test(row))).toEqual([]);
  });

  test.each(shown)('$file: $name', ({ file, name }) => {
    // Contracts are tests that several files run.
    expect(file).toMatch(/\.test\.ts$|^libs\/testing\/src\/contracts\//);
    const titles = titlesIn(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
    expect(titles.filter((title) => title.includes(name))).not.toEqual([]);
  });
});

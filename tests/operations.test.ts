import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');

const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (what|---)/.test(line));

/** `file` "part of a test's name" */
const shown = [...page.matchAll(/`([^`\s]+\.ts)` "([^"]+)"/g)].map(([, file = '', name = '']) => ({ file, name }));

describe('docs/operations.md', () => {
  test('names a test for everything that may die', () => {
    const claims = rows.filter((row) => row.split(' | ').length === 3);
    expect(claims.length).toBeGreaterThan(30);
    expect(claims.filter((row) => !/`[^`]+\.ts` "/.test(row))).toEqual([]);
  });

  test.each(shown)('$file: $name', ({ file, name }) => {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(name);
  });
});

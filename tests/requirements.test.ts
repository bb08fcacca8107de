/** The manifest of the language: each of its rows is shown by a test, and every citation means a row. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const manifest = readFileSync(join(root, 'docs/reference/language-requirements.md'), 'utf8');
const rows = [...manifest.matchAll(/^\| (L-\d{3}) \| (language|run|deploy) \| (.+) \|$/gm)].map(([, id = '']) => id);

const testFiles = ['libs', 'apps', 'tests'].flatMap((side) =>
  readdirSync(join(root, side), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules') && path !== 'requirements.test.ts')
    .map((path) => join(root, side, path)),
);

/** `[L-012]`, or `[L-012 L-013]`, in the title of a test or of a group. */
const cited = new Set(
  testFiles.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\[(L-\d{3}(?: L-\d{3})*)\]/g)].flatMap(([, ids = '']) => ids.split(' ')),
  ),
);

describe('the requirements of the language', () => {
  test('are a table whose ids are different, and rise', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows).toEqual([...new Set(rows)].toSorted());
  });

  test('are each shown by a test', () => {
    expect(rows.filter((id) => !cited.has(id))).toEqual([]);
  });

  test('are what tests cite', () => {
    expect([...cited].filter((id) => !rows.includes(id))).toEqual([]);
  });
});

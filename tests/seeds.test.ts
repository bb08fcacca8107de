/** docs/seeds.md: each of its rows names a test that is there, those about complaints among them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const page = readFileSync(join(root, 'docs/seeds.md'), 'utf8');
const folders: Readonly<Record<string, string>> = {
  t: 'libs/transports/src',
  d: 'libs/devices/src',
  p: 'libs/protocol/src',
  x: 'tests',
};
const rows = [...page.matchAll(/^\| ((?:S\d|C)-\d\d) \| .+ \| `(\w)\/([^`]+\.test\.ts)`: (.+) \|$/gm)].map(
  ([, id = '', folder = '', path = '', title = '']) => ({ id, file: join(root, folders[folder] ?? '', path), title }),
);

test('every statement of the seeds has a row of its own', () => {
  const ids = [...page.matchAll(/^\| ((?:S\d|C)-\d\d) /gm)].map(([, id = '']) => id);
  expect(ids.length).toBeGreaterThan(80);
  expect(rows.map(({ id }) => id)).toEqual([...new Set(ids)]);
});

test('and a test that shows it', () => {
  const wanting = rows.filter(
    ({ file, title }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(`'${title}`),
  );
  expect(wanting.map(({ id, title }) => `${id}: ${title}`)).toEqual([]);
});

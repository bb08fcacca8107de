/** Writes what is generated from this room: `npm run generate -w libs/language`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expressionsPage, findingsPage, schemaFile } from './src/reference.ts';

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const expressions = 'docs/expressions.md';
const files = {
  'docs/reference/findings.md': findingsPage(),
  'schema/workflow.json': schemaFile(),
  [expressions]: expressionsPage(readFileSync(inRepository(expressions), 'utf8')),
};

for (const [path, text] of Object.entries(files)) {
  const target = inRepository(path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

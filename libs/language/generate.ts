/** Writes what is generated from this room: `npm run generate -w libs/language`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findingsPage, schemaFile } from './src/reference.ts';

const files = { 'docs/reference/findings.md': findingsPage(), 'schema/workflow.json': schemaFile() };

for (const [path, text] of Object.entries(files)) {
  const target = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { checkWorkflow } from './parseWorkflow.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/idioms.md', import.meta.url)), 'utf8');
const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);

test.each(blocks.map((text) => [/workflow: (\S+)/.exec(text)?.[1] ?? '', text]))(
  '%s has nothing against it',
  (_, text) => {
    expect(checkWorkflow(text).findings).toEqual([]);
  },
);

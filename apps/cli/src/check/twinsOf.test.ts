import { expect, test } from 'vitest';

import { twinsOf } from './twinsOf.ts';

const file = (name: string, text: string, path = name) => ({ name, path, text });
const scan = 'workflow: scan\nsteps:\n  - set: { a: 1 }\n';

test('of two files with one workflow the second is told, at its name, which file is the first', () => {
  const twins = twinsOf([file('a.yaml', scan), file('b.yaml', `title: B\n${scan}`), file('c.yaml', 'workflow: c\n')]);
  expect([...twins.keys()]).toEqual(['a.yaml', 'b.yaml']);
  expect(twins.get('a.yaml')).toEqual({ workflow: 'scan', other: 'b.yaml', findings: [] });
  expect(twins.get('b.yaml')?.findings).toMatchObject([
    {
      code: 'duplicate-workflow',
      severity: 'error',
      line: 2,
      column: 11,
      path: '/workflow',
      message: 'a.yaml is the workflow "scan" too.',
    },
  ]);
});

test('a file that is given twice is no twin of itself, nor are files that name none', () => {
  expect(twinsOf([file('a.yaml', scan), file('./a.yaml', scan)]).size).toBe(0);
  expect(twinsOf([file('a.yaml', 'steps: []\n'), file('b.yaml', ''), file('c.yaml', '[')]).size).toBe(0);
});

import type { AuditEntry } from '@baton/api/client';
import { expect, test } from 'vitest';

import { answersText, proofsOf } from './toolProofs.ts';

const entryOf = (target: string, version: number, detail: object): AuditEntry => ({
  seq: version,
  at: `2026-11-27T08:0${version}:00.000Z`,
  by: 'repinning',
  action: 'tools.repinned',
  target,
  detail: { version, answers: 0, ...detail },
});

test('Each tool of a server has the proofs that are about it, and none of a server whose name begins alike.', () => {
  const both = entryOf('both', 3, {
    tools: { 'git/log': {}, 'git/add': {}, 'github/log': {} },
    changes: ['git/log: The argument "all" is new.', 'github/log: The argument "n" is gone.', 'git/add: It is new.'],
    answers: 4,
  });
  const one = entryOf('one', 2, { tools: { 'git/log': {} }, changes: ['git/log: The argument "all" is new.'] });
  const said = (proofs: ReturnType<typeof proofsOf>): unknown =>
    [...proofs].map(([tool, all]) => [tool, all.map((proof) => [proof.workflow, proof.version, proof.changes])]);
  expect(said(proofsOf('git', [both, one]))).toEqual([
    [
      'log',
      [
        ['both', 3, 'The argument "all" is new.'],
        ['one', 2, 'The argument "all" is new.'],
      ],
    ],
    ['add', [['both', 3, 'It is new.']]],
  ]);
  expect(proofsOf('slack', [both, one]).size).toBe(0);
});

test('An entry without details names no tool.', () => {
  expect(proofsOf('git', [entryOf('bare', 1, { tools: null, changes: null })]).size).toBe(0);
});

test('What a proof compared is said in words.', () => {
  expect([0, 1, 2].map(answersText)).toEqual([
    'No recorded answer was there to compare.',
    '1 recorded answer fits what it promises now.',
    '2 recorded answers fit what it promises now.',
  ]);
});

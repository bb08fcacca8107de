import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { runMoves } from './state/run.ts';
import type { StepState } from './state/step.ts';
import { move, noFrames, stepMoves } from './state/step.ts';

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');

const drawn = (moves: Record<string, readonly string[]>, first: string): string =>
  [
    'stateDiagram-v2',
    `  [*] --> ${first}`,
    ...Object.entries(moves).flatMap(([from, targets]) => targets.map((to) => `  ${from} --> ${to}`)),
  ].join('\n');

test('the diagrams in docs/architecture.md are the tables of the code', () => {
  expect(page).toContain(drawn(runMoves, 'queued'));
  expect(page).toContain(drawn(stepMoves, 'pending'));
});

test('a move that the table does not list is refused', () => {
  const common = { verb: 'tool', attempt: 1, frames: noFrames, items: undefined, spent: undefined } as const;
  const over: StepState = { ...common, status: 'cancelled' };
  expect(() => move(over, { ...common, status: 'skipped' })).toThrow('a step cannot go from cancelled to skipped');
  expect(() => move(undefined, over)).toThrow('a step cannot go from pending to cancelled');
});

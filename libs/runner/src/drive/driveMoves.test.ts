import { readFileSync } from 'node:fs';

import { InvariantError } from '@baton/engine';
import { describe, expect, test } from 'vitest';

import { type DriveInput, type DriveState, driveMove, driveMoves } from './driveMoves.ts';

const states = Object.keys(driveMoves) as DriveState[];
const inputs = [...new Set(Object.values(driveMoves).flatMap((moves) => Object.keys(moves)))] as DriveInput[];

test('the diagram in docs/architecture.md is the table of the code', () => {
  const page = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8');
  const lines = states.flatMap((from) =>
    Object.entries(driveMoves[from]).map(
      ([input, { does, next }]) => `  ${from} --> ${next}: ${input}${does === 'stop' ? '' : ` / ${does}`}`,
    ),
  );
  expect(page).toContain(['stateDiagram-v2', '  [*] --> claiming', ...lines].join('\n'));
});

describe('a drive', () => {
  test.each(states)('that is %s answers every input as its table says, and refuses the others', (state) => {
    const moves: Partial<Record<DriveInput, unknown>> = driveMoves[state];
    const [listed, unlisted] = [true, false].map((is) => inputs.filter((input) => Object.hasOwn(moves, input) === is));
    expect(Object.fromEntries((listed ?? []).map((input) => [input, driveMove(state, input)]))).toEqual(moves);
    for (const input of unlisted ?? []) expect(() => driveMove(state, input)).toThrow(InvariantError);
  });

  test('reaches every state, and from every state its end', () => {
    const follow = (from: DriveState): Set<string> => {
      const reached = new Set<string>([from]);
      for (const state of reached)
        for (const { next } of Object.values((driveMoves as Record<string, object>)[state] ?? {})) reached.add(next);
      return reached;
    };
    const outcomes = ['finished', 'waiting', 'lost', 'left'];
    expect([...follow('claiming')].toSorted()).toEqual([...states, ...outcomes].toSorted());
    for (const state of states) expect(outcomes.some((outcome) => follow(state).has(outcome))).toBe(true);
  });

  test('makes a call only while it owns the run: after a claim, and never after the release or the end is appended', () => {
    const settling = states.flatMap((state) =>
      Object.values(driveMoves[state])
        .filter(({ does }) => does === 'settle')
        .map(({ next }) => [state, next]),
    );
    expect(settling).toEqual([
      ['claiming', 'driving'],
      ['driving', 'driving'],
      ['recovering', 'driving'],
    ]);
  });

  test('says that a run is over or waits only when that is durable', () => {
    const stops = states.flatMap((state) =>
      Object.entries(driveMoves[state])
        .filter(([, { next }]) => next === 'finished' || (next === 'waiting' && state !== 'claiming'))
        .map(([input]) => `${state} ${input}`),
    );
    expect(stops).toEqual(['ending durable', 'resting rung', 'recovering endedHere']);
    expect(driveMoves.resting).toMatchObject({ durable: { does: 'ring' }, stale: { does: 'reopen' } });
  });
});

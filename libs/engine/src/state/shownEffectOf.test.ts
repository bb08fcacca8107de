import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { play } from '../play/play.ts';
import { runSentence, sentenceInput } from '../say/runSentence.ts';
import { shownEffectOf } from './shownEffectOf.ts';
import { Trace } from './trace.ts';

const text = 'workflow: w\nsteps:\n  - { id: sent, tool: bank/send, effect: read }\n';

test('the journal of a step that says less than its server has both effects, and people are shown the stronger one', () => {
  const { run, journal } = play(planOf(text, { 'bank/send': 'write' }));
  const [call] = journal.flatMap((event) => (event.type === 'step.started' ? (event.call ?? []) : []));
  expect(call).toMatchObject({ effect: 'read', toolEffect: 'write' });
  expect(call && shownEffectOf(call)).toBe('write');
  expect(runSentence(sentenceInput(run), Trace.of(journal).steps, 0)).toContain('It made 1 write.');
});

test('a call whose step and server agree has one effect', () => {
  const { journal } = play(planOf(text, { 'bank/send': 'read' }));
  const [call] = journal.flatMap((event) => (event.type === 'step.started' ? (event.call ?? []) : []));
  expect(call).not.toHaveProperty('toolEffect');
});

import { limits } from '@baton/expressions';
import { planOf, requestedEvent } from '@baton/testing';
import { expect, test } from 'vitest';

import { type CallResult, play } from '../play/play.ts';
import type { EventOf, RunEvent } from './event.ts';
import { begin, replay } from './evolve.ts';
import { toolsReadSince } from './toolsReadSince.ts';

const { sharedMs } = limits.catalogue;
const startMs = 1_000_000;

/** For the step `call` of a run that is played to its end: the event that ended the pause, and how much older a list may be. */
function pauseBefore(
  steps: string,
  answer?: (path: string, attempt: number) => CallResult,
): [string, number] | undefined {
  const { journal } = play(planOf(`workflow: w\nsteps:\n${steps}`), {
    startMs,
    child: () => ({ status: 'succeeded' }),
    outside: (run, round) =>
      run.questions > 0
        ? [{ type: 'question.answered', at: startMs + round * 60_000, path: 'asked', answer: {}, by: 'ada' }]
        : [],
    ...(answer && { answer: ({ path, attempt }) => answer(path, attempt) }),
  });
  const started = journal.findLastIndex((event) => event.type === 'step.started' && event.path === 'call');
  const until = journal.slice(0, started + 1);
  const since = toolsReadSince(replay('run', until), 'call');
  if (since === undefined) return undefined;
  const ending = (event: RunEvent | undefined, grace: number): boolean =>
    event !== undefined && event.at - grace === since;
  const atOnce = until.findLast((event) => ending(event, 0) && event.type === 'question.answered');
  const end = atOnce ?? until.findLast((event) => ending(event, sharedMs));
  return end && [end.type, end.at - since];
}

const call = '  - { id: call, tool: s/t }\n';
const asked = '  - { id: asked, ask: May it? }\n';

test('a call that follows no pause needs no newer list of tools than the run', () => {
  expect(pauseBefore('  - { id: asked, set: {} }\n  - { id: call, tool: s/t }\n')).toBeUndefined();
});

test('a call after an answer needs a list of tools that was read after the answer', () => {
  expect(pauseBefore(`${asked}${call}`)?.[1]).toBe(0);
});

test.each([
  ['a wait', '  - { id: asked, wait: 1h }\n  - { id: call, tool: s/t }\n'],
  ['a short wait', '  - { id: asked, wait: 1s }\n  - { id: call, tool: s/t }\n'],
  ['a child run', '  - { id: asked, workflow: other }\n  - { id: call, tool: s/t }\n'],
])('a call after %s needs a list of tools that is hardly older than its end', (_, steps) => {
  expect(pauseBefore(steps)?.[1]).toBe(sharedMs);
});

test('a call that is tried again needs a list of tools that is hardly older than the attempt', () => {
  const failure = { code: 'timeout', message: 'late' } as const;
  const steps = '  - { id: call, tool: s/t, effect: read, retry: { attempts: 2, delay: 1h } }\n';
  const answer = (_: string, attempt: number): CallResult =>
    attempt === 1 ? { failure, delivery: 'unknown' } : { result: {} };
  expect(pauseBefore(steps, answer)).toEqual(['step.started', sharedMs]);
});

test('the calls of a child run and of a rerun need a list of tools that is hardly older than the run', () => {
  const since = (more: Partial<EventOf<'run.requested'>>): number | undefined =>
    begin('run', requestedEvent({ at: 60_000, ...more })).toolsReadSince;
  expect(since({})).toBeUndefined();
  expect(since({ parent: { runId: 'other', path: 'inner', attempt: 1 } })).toBe(60_000 - sharedMs);
  expect(since({ rerunOf: 'other' })).toBe(60_000 - sharedMs);
});

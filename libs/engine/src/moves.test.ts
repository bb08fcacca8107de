import { readFileSync } from 'node:fs';

import { planOf, requestedEvent, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { InvariantError } from './invariant.ts';
import { play } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { evolve, replay } from './state/evolve.ts';
import { type Run, type RunStatus, runMoves } from './state/run.ts';
import { type StepState, move, noFrames, stepMoves } from './state/step.ts';

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
  const common = {
    verb: 'tool',
    attempt: 1,
    frames: noFrames,
    items: undefined,
    spent: undefined,
    case: undefined,
    seenAt: 0,
  } as const;
  const cancelled: StepState = { ...common, status: 'cancelled' };
  expect(() => move(cancelled, { ...common, status: 'skipped' })).toThrow('a step cannot go from cancelled to skipped');
  expect(() => move(undefined, cancelled)).toThrow('a step cannot go from pending to cancelled');
});

const statuses = Object.keys(runMoves) as RunStatus[];
const over = statuses.filter((status) => runMoves[status].length === 0);
const requested = requestedEvent();
const { at } = requested;

/** The event that leads a run there. */
const leadingTo = (status: RunStatus, run: Run): RunEvent => {
  if (status === 'running') return { type: 'run.claimed', at, worker: 'w', claim: run.claim + 1 };
  if (status === 'waiting' || status === 'queued') return { type: 'run.waiting', at };
  const failure = { code: 'cancelled', message: 'So.' } as const;
  return { type: 'run.finished', at, ...(status === 'succeeded' ? { status } : { status, failure }) };
};

/** A run that has that status. */
const runThatIs = (status: RunStatus): Run => {
  const queued = replay('r', [requested]);
  if (status === 'queued') return queued;
  const running = evolve(queued, leadingTo('running', queued));
  return status === 'running' ? running : evolve(running, leadingTo(status, running));
};

const childEnd = (path: string): RunEvent => ({
  type: 'child.finished',
  at,
  path,
  runId: 'child',
  status: 'succeeded',
});

describe('a run', () => {
  test.each(statuses)('that is %s goes where its table says, and nowhere else', (from) => {
    const run = runThatIs(from);
    // Taking a running run over keeps it running.
    const targets = statuses.filter((to) => to !== 'queued' && to !== from);
    const reached = targets.filter((to) => {
      try {
        return evolve(run, leadingTo(to, run)).status === to;
      } catch (error) {
        if (error instanceof InvariantError) return false;
        throw error;
      }
    });
    expect(reached).toEqual(targets.filter((to) => (runMoves[from] as readonly RunStatus[]).includes(to)));
  });

  const failure = { code: 'run-timed-out', message: 'So.' } as const;

  test('keeps the first request to cancel it, and the first reason to stop it', () => {
    const cancelled = ['ada', 'bob'].reduce<Run>(
      (run, by) => evolve(run, { type: 'run.cancelRequested', at, by }),
      runThatIs('running'),
    );
    expect(cancelled).toMatchObject({ cancel: { by: 'ada' } });
    const stopped = ['first', 'second'].reduce<Run>(
      (run, message) => evolve(run, { type: 'run.stopped', at, failure: { ...failure, message } }),
      runThatIs('running'),
    );
    expect(stopped).toMatchObject({ stopped: { message: 'first' } });
  });

  test.each<readonly [string, RunStatus, RunEvent]>([
    ['is requested twice', 'queued', requested],
    ['stops before it was claimed', 'queued', { type: 'run.stopped', at, failure }],
    ['ends its steps before it was claimed', 'queued', { type: 'run.ending', at, status: 'succeeded' }],
    ['is claimed by a number that is not the next', 'running', { type: 'run.claimed', at, worker: 'w', claim: 3 }],
    ['is claimed by a number that was taken', 'running', { type: 'run.claimed', at, worker: 'w', claim: 1 }],
    ['undoes a step that is not the next to undo', 'running', { type: 'step.undone', at, path: 'a' }],
    ['has a child end for which no step waits', 'running', childEnd('a')],
  ])('that %s is a bug', (_, status, event) => {
    expect(() => evolve(runThatIs(status), event)).toThrow(InvariantError);
  });

  test('whose journal does not begin with its request is a bug', () => {
    expect(() => replay('r', [{ type: 'run.claimed', at, worker: 'w', claim: 1 }])).toThrow(InvariantError);
  });

  test.each(over)('that is %s takes no further event, of any kind', (status) => {
    const plan = planOf(`
workflow: w
steps:
  - { id: a, tool: s/t, retry: { attempts: 2 }, undo: { tool: s/u } }
  - { id: asked, ask: Shall I?, form: { yes: { type: boolean } } }
  - { wait: { signal: paid } }
  - { fail: So it is written. }
`);
    const { journal } = play(plan, {
      answer: ({ attempt, target }) =>
        attempt === 1 && target === 's/t'
          ? { failure: { code: 'server-overloaded', message: 'Later.' }, delivery: 'rejected' }
          : { result: textResult('ok') },
      outside: (run) => {
        const base = { at: run.at, by: 'ada' } as const;
        if (run.questions > 0) return [{ ...base, type: 'question.answered', path: 'asked', answer: { yes: true } }];
        return run.signals.length > 0 ? [] : [{ ...base, type: 'signal.received', name: 'paid', payload: 1 }];
      },
    });
    const kinds = new Map(journal.map((event) => [event.type, event]));
    expect(kinds.size).toBeGreaterThanOrEqual(10);
    const cancelled: RunEvent = { type: 'run.cancelRequested', at, by: 'ada', reason: 'late' };
    for (const event of [...kinds.values(), cancelled]) {
      expect(() => evolve(runThatIs(status), event)).toThrow(`a ${status} run has no further events (${event.type})`);
    }
  });
});

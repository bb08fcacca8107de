import type { AttemptReport, Call } from '@baton/engine';
import type { Effect, ToolStep } from '@baton/language';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { CallResult } from '../ports/calls.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../ports/clock.ts';
import type { Ports } from '../ports/ports.ts';
import { KnownSecrets } from '../redact/knownSecrets.ts';
import { BlobCache } from '../values/blobCache.ts';
import type { CallEnvironment } from './performCall.ts';
import { performCall } from './performCall.ts';

type ToolCall = Extract<Call, { verb: 'tool' }>;

interface Surroundings {
  readonly clock?: Pick<Clock, 'now' | 'after'>;
  readonly signal?: AbortSignal;
  readonly onLate?: (report: AttemptReport) => void;
}

/** Makes the call of `s`, a step of run `r`. */
async function perform(
  callTool: Ports['calls']['callTool'],
  call: ToolCall,
  attempt: number,
  { clock = systemClock, signal = new AbortController().signal, onLate }: Surroundings = {},
): Promise<AttemptReport> {
  const plan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b }\n');
  const step = plan.steps.steps[0] as ToolStep;
  const ports = { calls: { callTool }, clock, known: new KnownSecrets() } as unknown as Ports;
  const environment = {
    plan,
    run: { id: 'r' },
    signal,
    onLate,
    valueSources: { cache: new BlobCache(0), fetched: new Map() },
  } as unknown as CallEnvironment;
  return performCall(ports, { kind: 'call', path: 's', attempt, call, step }, environment);
}

/** The key that goes with an attempt. */
async function keySent(effect: Effect, attempt: number, idempotencyKey?: string): Promise<string | undefined> {
  const sent: (string | undefined)[] = [];
  const callTool: Ports['calls']['callTool'] = async (call) => {
    sent.push(call.idempotencyKey);
    return { result: { content: [] } };
  };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect, ...key } as const;
  await perform(callTool, call, attempt);
  return sent[0];
}

test('a write sends a key of its own, the same for each attempt', async () => {
  expect(await keySent('write', 1)).toBe('r/s');
  expect(await keySent('write', 2)).toBe('r/s');
});

test('the author’s key goes before it, and what is no write sends none', async () => {
  expect(await keySent('write', 1, 'mine')).toBe('mine');
  expect(await keySent('read', 1)).toBeUndefined();
  expect(await keySent('idempotent', 1)).toBeUndefined();
});

test('what was added to the arguments is sent with them, and what the author wrote goes before', async () => {
  const sent: unknown[] = [];
  const callTool: Ports['calls']['callTool'] = async (call) => {
    sent.push(call.arguments);
    return { result: { content: [] } };
  };
  const added = { scale: 'css', n: 0 };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: { n: 1 } }, effect: 'write', added } as const;
  await perform(callTool, call, 1);
  expect(sent).toEqual([{ scale: 'css', n: 1 }]);
});

describe('a call that is told to stop', () => {
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect: 'write' } as const;

  /** The call has begun, and ends when the test says; so does the time that it is given. */
  function begun() {
    const answer = Promise.withResolvers<CallResult>();
    const timers = new Map<number, () => void>();
    const after: Clock['after'] = (ms, callback) => {
      timers.set(ms, callback);
      return () => timers.delete(ms);
    };
    const stop = new AbortController();
    const late: AttemptReport[] = [];
    const surroundings = { clock: { now: () => 7, after }, signal: stop.signal, onLate: late.push.bind(late) };
    return { answer, timers, stop, late, report: perform(() => answer.promise, call, 1, surroundings) };
  }

  test('and does not, is given up ten seconds later, and its real end comes late', async () => {
    const { answer, timers, stop, late, report } = begun();
    expect(timers.size).toBe(0);
    stop.abort({ kind: 'stop', reason: 'The run is cancelled.' });
    expect([...timers.keys()]).toEqual([10_000]);
    timers.get(10_000)?.();
    expect(await report).toEqual({
      path: 's',
      attempt: 1,
      at: 7,
      outcome: 'failed',
      failure: { code: 'cancelled', message: 'The run is cancelled.' },
      delivery: 'unknown',
      aborted: true,
    });
    expect(late).toEqual([]);
    answer.resolve({ result: { content: [] } });
    await expect.poll(() => late).toMatchObject([{ path: 's', attempt: 1, outcome: 'succeeded' }]);
  });

  test('and ends in time, is reported as it ended, and once', async () => {
    const { answer, timers, stop, late, report } = begun();
    stop.abort({ kind: 'stop', reason: 'The run is cancelled.' });
    answer.resolve({ result: { content: [] } });
    expect(await report).toMatchObject({ outcome: 'succeeded' });
    expect([timers.size, late]).toEqual([0, []]);
  });
});

import { type AttemptReport, type Call, type Delivery, begin, FailureError, InvariantError } from '@baton/engine';
import type { Effect, Plan, ToolStep } from '@baton/language';
import { planOf, requestedEvent } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { Ports } from '../drivePorts.ts';
import type { CallResult } from '../ports/calls.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { KnownSecrets } from '../redact/knownSecrets.ts';
import { BlobCache } from '../values/blobCache.ts';
import { type CallEnvironment, performCall } from './performCall.ts';

interface Surroundings {
  readonly clock?: Pick<Clock, 'now' | 'after'>;
  readonly signal?: AbortSignal;
  readonly onLate?: (report: AttemptReport) => void;
  readonly known?: KnownSecrets;
  readonly models?: Ports['models'];
  readonly secrets?: Ports['secrets'];
  readonly plan?: Plan;
  readonly beginSend?: () => boolean;
  /** Undefined: the workflow came with its run. */
  readonly version?: number;
}

const onePlan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b }\n');

/** Makes the call of `s`, a step of run `r`. */
async function perform(
  callTool: Ports['calls']['callTool'],
  call: Call,
  attempt: number,
  surroundings: Surroundings = {},
): Promise<AttemptReport> {
  const { clock = systemClock, signal = new AbortController().signal, plan = onePlan, version, onLate } = surroundings;
  const { known = new KnownSecrets(), models, secrets, beginSend = () => true } = surroundings;
  const step = plan.steps.steps[0] as ToolStep;
  const ports = { calls: { callTool }, clock, known, models, secrets } as unknown as Ports;
  const { version: _version, ...inline } = requestedEvent({ workflow: 'w' });
  const environment = {
    plan,
    beginSend,
    run: begin('r', version === undefined ? inline : { ...inline, version }),
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

describe('what goes wrong in a call', () => {
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect: 'write' } as const;
  const failing = (error: Error, surroundings?: Surroundings): Promise<AttemptReport> => {
    const callTool: Ports['calls']['callTool'] = async (_, { beginSend }) => {
      beginSend?.();
      throw error;
    };
    return perform(callTool, call, 1, surroundings);
  };

  test('An error that no room knows, of a call that was sent, leaves open whether the call was made', async () => {
    const unknown = { outcome: 'failed', delivery: 'unknown' };
    const failed = await failing(new TypeError('fetch failed'));
    expect(failed).toMatchObject({ ...unknown, failure: { code: 'server-error', message: 'fetch failed' } });
    expect(await failing(new UnavailableError('The database is away.'))).toMatchObject(unknown);
  });

  test('A call that failed before it was sent is unsent, with any error', async () => {
    const callTool = async (): Promise<never> => {
      throw new TypeError('no session');
    };
    expect(await perform(callTool, call, 1)).toMatchObject({ outcome: 'failed', delivery: 'unsent' });
  });

  test('A call that needs what cannot be read now is no failed call', async () => {
    const plan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b, with: { key: "${{ secrets.KEY }}" } }\n');
    const secrets = async (): Promise<never> => {
      throw new UnavailableError('The database is away.');
    };
    const sent: string[] = [];
    const callTool: Ports['calls']['callTool'] = async ({ tool }) => {
      sent.push(tool);
      return { result: {} };
    };
    await expect(perform(callTool, call, 1, { plan, secrets })).rejects.toThrow(UnavailableError);
    expect(sent).toEqual([]);
  });

  test('A call whose token could not be read is no failed call, also where its server had refused the one before', async () => {
    const cause = new Error('fetch failed', { cause: new UnavailableError('The database is away.') });
    const ofToken = (delivery: Delivery) => new FailureError('server-unreachable', 'No token.', { delivery, cause });
    for (const delivery of ['unsent', 'rejected'] as const)
      await expect(failing(ofToken(delivery))).rejects.toThrow(UnavailableError);
    for (const delivery of ['unknown', 'answered'] as const)
      expect(await failing(ofToken(delivery))).toMatchObject({ outcome: 'failed', delivery });
    const unreachable = new FailureError('server-unreachable', 'No such host.', { delivery: 'unsent' });
    expect(await failing(unreachable)).toMatchObject({ outcome: 'failed', delivery: 'unsent' });
  });

  test('and is a bug, is no failure of the call', async () => {
    await expect(failing(new InvariantError('So.'))).rejects.toThrow(InvariantError);
  });

  test('is told without the secrets of the process', async () => {
    const known = new KnownSecrets();
    known.learn('test', ['correct-horse-battery']);
    const said = new FailureError('server-error', 'No user correct-horse-battery.', { delivery: 'answered' });
    const report = await failing(said, { known });
    expect(report).toMatchObject({ failure: { message: 'No user [secret].' }, delivery: 'answered' });
  });
});

test('what a model answers is stored without the secrets of the process', async () => {
  const known = new KnownSecrets();
  known.learn('test', ['correct-horse-battery']);
  const content = { type: 'text', text: 'It is correct-horse-battery.' };
  const sample = async () => ({ result: { content }, usage: { model: 'm', inputTokens: 1, outputTokens: 1 } });
  const call = { verb: 'sample', request: { json: {} } } as const;
  const report = await perform(async () => ({ result: {} }), call, 1, { known, models: { sample } });
  expect(report).toMatchObject({ value: { json: { content: { text: 'It is [secret].' } } }, usage: { model: 'm' } });
});

test('A worker that may not act any more asks no model', async () => {
  const asked: unknown[] = [];
  const sample = async (request: unknown): Promise<never> => {
    asked.push(request);
    throw new Error('The model was asked.');
  };
  const call = { verb: 'sample', request: { json: {} } } as const;
  const report = await perform(async () => ({ result: {} }), call, 1, { models: { sample }, beginSend: () => false });
  expect(report).toMatchObject({ failure: { code: 'worker-lost' }, delivery: 'unsent' });
  expect(asked).toEqual([]);
});

test('secrets are asked for in the name of the workflow and of the server that gets them', async () => {
  const plan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b, with: { key: "${{ secrets.KEY }}" } }\n');
  const asked: unknown[] = [];
  const secrets: Ports['secrets'] = async (names, place) => {
    asked.push([names, place]);
    return { KEY: 'correct-horse-battery' };
  };
  const sent: unknown[] = [];
  const callTool: Ports['calls']['callTool'] = async (made) => {
    sent.push(made.arguments);
    return { result: {} };
  };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect: 'write' } as const;
  await perform(callTool, call, 1, { plan, secrets });
  await perform(callTool, call, 1, { plan, secrets, version: 3 });
  expect(asked).toEqual([
    [['KEY'], { workflow: { id: 'w', isDeployed: false }, server: 'a' }],
    [['KEY'], { workflow: { id: 'w', isDeployed: true }, server: 'a' }],
  ]);
  expect(sent).toEqual([{ key: 'correct-horse-battery' }, { key: 'correct-horse-battery' }]);
});

test('a revealed secret that does not fit the pinned schema is not sent, and the failure does not show it', async () => {
  const inputSchema = { type: 'object', properties: { key: { const: 'sesame-open-the-door' } } };
  const text = 'workflow: w\nsteps:\n  - { id: s, tool: a/b, with: { key: "${{ secrets.KEY }}" } }\n';
  const plan = planOf(text, {}, { 'a/b': { inputSchema } });
  const sent: unknown[] = [];
  const callTool: Ports['calls']['callTool'] = async (made) => {
    sent.push(made.arguments);
    return { result: {} };
  };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect: 'write' } as const;
  const using = (KEY: string): Promise<AttemptReport> =>
    perform(callTool, call, 1, { plan, secrets: async () => ({ KEY }) });
  const report = await using('correct-horse-battery');
  expect(report).toMatchObject({ failure: { code: 'invalid-arguments' }, delivery: 'unsent' });
  expect(JSON.stringify(report)).not.toContain('horse');
  expect(sent).toEqual([]);
  expect(await using('sesame-open-the-door')).toMatchObject({ outcome: 'succeeded' });
});

describe('a call that is told to stop', () => {
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect: 'write' } as const;

  /** The call has begun, and ends when the test says; so does the time that it is given. */
  async function begun() {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<CallResult>();
    const timers = new Map<number, () => void>();
    const after: Clock['after'] = (ms, callback) => {
      timers.set(ms, callback);
      return () => timers.delete(ms);
    };
    const stop = new AbortController();
    const late: AttemptReport[] = [];
    const surroundings = { clock: { now: () => 7, after }, signal: stop.signal, onLate: late.push.bind(late) };
    const callTool: Ports['calls']['callTool'] = (_, { beginSend }) => {
      beginSend?.();
      sent.resolve();
      return answer.promise;
    };
    const report = perform(callTool, call, 1, surroundings);
    await sent.promise;
    return { answer, timers, stop, late, report };
  }

  test('and does not, is given up ten seconds later, and its real end comes late', async () => {
    const { answer, timers, stop, late, report } = await begun();
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

  test('A call that was stopped before it was sent is given up as unsent, and is not sent any more', async () => {
    const stop = new AbortController();
    const timers: (() => void)[] = [];
    const after: Clock['after'] = (_, callback) => {
      timers.push(callback);
      return () => undefined;
    };
    const session = Promise.withResolvers<void>();
    const mayBeSent: (boolean | undefined)[] = [];
    const callTool: Ports['calls']['callTool'] = async (_, { beginSend }) => {
      await session.promise;
      mayBeSent.push(beginSend?.());
      return { result: {} };
    };
    const surroundings = { clock: { now: () => 7, after }, signal: stop.signal, onLate: () => undefined };
    const report = perform(callTool, call, 1, surroundings);
    stop.abort({ kind: 'stop', reason: 'The run is cancelled.' });
    timers[0]?.();
    expect(await report).toMatchObject({ delivery: 'unsent', failure: { code: 'cancelled' } });
    session.resolve();
    await expect.poll(() => mayBeSent).toEqual([false]);
  });

  test('and ends in time, is reported as it ended, and once', async () => {
    const { answer, timers, stop, late, report } = await begun();
    stop.abort({ kind: 'stop', reason: 'The run is cancelled.' });
    answer.resolve({ result: { content: [] } });
    expect(await report).toMatchObject({ outcome: 'succeeded' });
    expect([timers.size, late]).toEqual([0, []]);
  });
});

import { limits } from '@baton/expressions';
import { compile, parseWorkflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { requestedEvent } from '@baton/testing';
import { expect, test } from 'vitest';

import { type CallResult, type PlayOptions, type SimulatedRun, play, playOn } from '../play/play.ts';
import type { EventOf, RunEvent } from '../state/event.ts';
import { replay } from '../state/evolve.ts';
import type { Run } from '../state/run.ts';
import type { SessionTarget } from '../state/sessionTarget.ts';
import { toolsReadSince } from '../state/toolsReadSince.ts';
import { Trace } from '../state/trace.ts';

const { workflow } = parseWorkflow('workflow: session\nsteps: [{ set: {} }]\n');
if (workflow === undefined) throw new Error('the definition of a session does not parse');
const plan = compile(workflow);

const reading: SessionTarget = {
  verb: 'tool',
  server: 'files',
  tool: 'read',
  effect: { effect: 'read', from: 'server' },
};
const writing: SessionTarget = { ...reading, tool: 'write', effect: { effect: 'write', from: 'server' } };

const wanted = (
  run: Run,
  path: string,
  target: SessionTarget = reading,
  more: Partial<EventOf<'call.requested'>> = {},
): RunEvent => {
  const given: JsonObject = { path };
  return {
    type: 'call.requested',
    at: run.at,
    path,
    target,
    arguments: { json: given },
    by: 'agent',
    digest: path,
    ...more,
  };
};

const closed = (run: Run): RunEvent => ({ type: 'session.closed', at: run.at, by: 'agent' });

/** Each round of events once, when nothing else can happen. */
const session = (
  rounds: readonly ((run: Run) => readonly RunEvent[])[],
  answer?: (path: string) => CallResult,
  more: Partial<PlayOptions> = {},
): SimulatedRun => {
  const left = [...rounds];
  return play(plan, {
    trigger: { kind: 'session' },
    outside: (run) => left.shift()?.(run) ?? [],
    ...(answer && { answer: ({ path }) => answer(path) }),
    ...more,
  });
};

const typesOf = ({ journal }: SimulatedRun): readonly string[] => journal.map(({ type }) => type);
const statesOf = ({ journal }: SimulatedRun) => Trace.of(journal).steps.map(({ path, status }) => [path, status]);

test('each requested call is a step with its arguments', () => {
  const played = session([(run) => [wanted(run, 'read-1')], (run) => [wanted(run, 'read-2')], (run) => [closed(run)]]);
  expect(played.calls.map(({ path, target, arguments: given }) => [path, target, given])).toEqual([
    ['read-1', 'files/read', { path: 'read-1' }],
    ['read-2', 'files/read', { path: 'read-2' }],
  ]);
  expect(played.run.status).toBe('succeeded');
});

test('calls that are requested together do not wait for each other', () => {
  const played = session([(run) => [wanted(run, 'read-1'), wanted(run, 'read-2')], (run) => [closed(run)]]);
  expect(
    typesOf(played)
      .filter((type) => type.startsWith('step.'))
      .slice(0, 2),
  ).toEqual(['step.started', 'step.started']);
});

test('a call that fails fails neither the session nor the next call', () => {
  const failing: CallResult = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };
  const fine: CallResult = { result: { content: [] } };
  const rounds = [
    (run: Run) => [wanted(run, 'read-1')],
    (run: Run) => [wanted(run, 'read-2')],
    (run: Run) => [closed(run)],
  ];
  const played = session(rounds, (path) => (path === 'read-1' ? failing : fine));
  expect(statesOf(played)).toEqual([
    ['read-1', 'failed'],
    ['read-2', 'succeeded'],
  ]);
  expect(played.run.status).toBe('succeeded');
});

test('a write whose worker dies is unknown, and is not made again; a read is', () => {
  const died = new Set<string>();
  const dyingOnce = (path: string): CallResult => {
    if (died.has(path)) return { result: { content: [] } };
    died.add(path);
    return { workerDies: true };
  };
  const writes = session([(run) => [wanted(run, 'write-1', writing)], (run) => [closed(run)]], dyingOnce);
  expect(writes.calls.map(({ path }) => path)).toEqual(['write-1']);
  expect(statesOf(writes)).toEqual([['write-1', 'unknown']]);
  const reads = session([(run) => [wanted(run, 'read-1')], (run) => [closed(run)]], dyingOnce);
  expect(reads.calls.map(({ path, attempt }) => [path, attempt])).toEqual([
    ['read-1', 1],
    ['read-1', 2],
  ]);
});

test('a call that needs a person is made when the person agrees, and skipped when not', () => {
  const asking = (approve: boolean) => [
    (run: Run) => [wanted(run, 'write-1', writing, { approval: 'Let it write?' })],
    (run: Run): RunEvent[] => [
      { type: 'question.answered', at: run.at, path: 'write-1.approval', answer: { approve }, by: 'ann' },
    ],
    (run: Run) => [closed(run)],
  ];
  expect(statesOf(session(asking(true)))).toEqual([
    ['write-1', 'succeeded'],
    ['write-1.approval', 'succeeded'],
  ]);
  const refused = session(asking(false));
  expect(statesOf(refused)).toEqual([
    ['write-1', 'skipped'],
    ['write-1.approval', 'succeeded'],
  ]);
  expect(refused.calls).toEqual([]);
});

test('a session without requests ends by itself', () => {
  const played = session([(run) => [wanted(run, 'read-1')]]);
  expect(played.run.status).toBe('succeeded');
  const [first, last] = [played.journal.find(({ type }) => type === 'step.succeeded'), played.journal.at(-1)];
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBe(30 * 60_000);
});

test('a session that is cancelled stops the calls under way', () => {
  const hanging: CallResult = { takesMs: Infinity, result: {} };
  const played = session(
    [(run) => [wanted(run, 'read-1')], (run) => [{ type: 'run.cancelRequested', at: run.at, by: 'ann' }]],
    () => hanging,
  );
  expect(played.run.status).toBe('cancelled');
  expect(statesOf(played)).toEqual([['read-1', 'cancelled']]);
});

test('that an answer was delivered is on record, and nothing follows from it', () => {
  const told = (run: Run): RunEvent[] => [{ type: 'call.delivered', at: run.at, path: 'read-1' }];
  const played = session([(run) => [wanted(run, 'read-1')], told, (run) => [closed(run)]]);
  expect(played.run.session?.calls).toMatchObject([{ path: 'read-1', deliveredAt: expect.any(Number) as number }]);
});

test('a journal that is cut off anywhere continues to the same calls', () => {
  const whole = session([(run) => [wanted(run, 'read-1'), wanted(run, 'read-2')], (run) => [closed(run)]]);
  for (let at = 3; at < whole.journal.length; at += 1) {
    const rest = whole.journal.slice(at).filter(({ type }) => type === 'call.requested' || type === 'session.closed');
    const again = playOn(plan, whole.journal.slice(0, at), { outside: () => rest.splice(0) });
    expect(again.run.status).toBe('succeeded');
    expect(statesOf(again).map(([path]) => path)).toEqual(['read-1', 'read-2']);
  }
});

test('a call that is refused fails without being made, and no person is asked', () => {
  const refusal = { code: 'invalid-arguments', message: '"path" has to be a text.' };
  const refused = session([
    (run) => [wanted(run, 'write-1', writing, { approval: 'Let it write?', refusal })],
    (run) => [closed(run)],
  ]);
  expect(refused.calls).toEqual([]);
  expect(refused.journal.some(({ type }) => type === 'step.waiting')).toBe(false);
  expect(refused.journal.find(({ type }) => type === 'step.failed')).toMatchObject({
    path: 'write-1',
    failure: refusal,
  });
  expect(refused.run.status).toBe('succeeded');
});

test('a call is compared with newer lists of tools where a person approved it, or it was requested long before', () => {
  const since = (requestedAt: number, startedAt: number, approval?: string): number | undefined => {
    const asked = {
      ...wanted({ at: requestedAt } as Run, 'read-1', writing),
      ...(approval && { approval }),
    } as RunEvent;
    const call = { verb: 'tool', server: 'files', tool: 'write', arguments: { json: {} }, effect: 'write' } as const;
    const run = replay('run', [
      { ...requestedEvent(), trigger: { kind: 'session' } },
      asked,
      { type: 'run.claimed', at: startedAt, worker: 'w', claim: 1 },
      { type: 'step.started', at: startedAt, path: 'read-1', verb: 'tool', attempt: 1, call },
    ]);
    return toolsReadSince(run, 'read-1');
  };
  expect(since(1_000, 1_100)).toBeUndefined();
  expect(since(1_000, 1_100, 'May it?')).toBe(1_100);
  expect(since(1_000, 61_000)).toBe(61_000 - limits.catalogue.sharedMs);
});

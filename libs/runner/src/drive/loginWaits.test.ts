/** Runs that call a server at which their person has no login: they wait for it before the intent of the call. */
import { type RunEvent, FailureError, replay, runSentence, sentenceInput, Trace } from '@baton/engine';
import { MemoryJournal, planOf, requestedEvent, TestClock, testPorts } from '@baton/testing';
import { expect, test } from 'vitest';

import type { CallPace } from '../ports/callPace.ts';
import { type CallContext, withoutLogin } from '../ports/calls.ts';
import { UnavailableError } from '../ports/journal.ts';
import { LoginPace } from '../sharing/loginPace.ts';
import { RunDrivers } from './runDrivers.ts';

const ana = { id: 'person-ana', name: 'ana' };

const unpaced: CallPace = {
  isPaced: () => false,
  takeTurn: () => Promise.reject(new Error('no server has a rate')),
  mayBeSent: async () => true,
  noteFailure: () => undefined,
};

function world() {
  const clock = new TestClock();
  const journal = new MemoryJournal({});
  const made = {
    isLoggedIn: false,
    endsAtCall: false,
    sent: 0,
    failure: undefined as FailureError | undefined,
    looks: 0,
    unread: 0,
  };
  const callTool = async (_: unknown, { beginSend }: CallContext) => {
    if (!made.isLoggedIn) throw new FailureError('server-unauthorized', 'ana has to log in', { details: withoutLogin });
    if (beginSend?.() !== true) throw new Error('fenced');
    if (made.endsAtCall) {
      made.isLoggedIn = false;
      throw new FailureError('server-unauthorized', 'the login has ended', { delivery: 'rejected' });
    }
    if (made.failure !== undefined) throw made.failure;
    made.sent += 1;
    return { result: { content: [] } };
  };
  const mayLackLogin = () => !made.isLoggedIn;
  const lacksLogin = async (): Promise<boolean> => {
    made.looks += 1;
    if (made.unread > 0) throw new UnavailableError(`still ${(made.unread -= 1)} times`);
    return mayLackLogin();
  };
  const pace = new LoginPace(unpaced, { mayLackLogin, lacksLogin }, clock);
  const plan = planOf('workflow: w\nsteps:\n  - { id: one, tool: s/t }\n');
  const ports = { journal, blobs: journal.blobs, plans: async () => plan, clock, pace, calls: { callTool } };
  const request = async (by: { readonly person?: typeof ana } = { person: ana }): Promise<string> => {
    const asked = await journal.request({ event: { ...requestedEvent(), ...by } });
    if (asked.kind !== 'created') throw new Error(asked.kind);
    return asked.runId;
  };
  const drive = (runId: string) => new RunDrivers(testPorts(ports)).drive(runId);
  const eventsOf = async (runId: string) => (await journal.open(runId))?.events ?? [];
  return Object.assign(made, { clock, request, drive, eventsOf });
}

const typesIn = (events: readonly RunEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => !/^run\.(requested|claimed)$/.test(type));

test('a run waits until its person has logged in, without the intent of its call, and then makes it once', async () => {
  const it = world();
  const run = await it.request();
  expect(await it.drive(run)).toBe('waiting');
  const events = await it.eventsOf(run);
  expect(typesIn(events)).toEqual(['step.waiting', 'step.waiting', 'run.waiting']);
  const sentence = runSentence(sentenceInput(replay(run, events)), Trace.of(events).steps, it.clock.now());
  expect(sentence).toBe('one waits until ana logs in: baton servers login s.');
  it.clock.pass(5_000);
  expect(await it.drive(run)).toBe('waiting');
  it.isLoggedIn = true;
  it.clock.pass(5_000);
  expect(await it.drive(run)).toBe('finished');
  expect(typesIn(await it.eventsOf(run)).slice(-3)).toEqual(['step.started', 'step.succeeded', 'run.finished']);
  expect(it.sent).toBe(1);
});

test('a run that waits for days looks less and less often, and then its call fails with who has to log in', async () => {
  const it = world();
  const run = await it.request();
  let looks = 0;
  for (; (await it.drive(run)) === 'waiting'; looks += 1) {
    const last = (await it.eventsOf(run)).at(-1);
    it.clock.pass((last?.type === 'run.waiting' ? (last.wakeAt ?? 0) : 0) - it.clock.now());
  }
  expect(looks).toBeLessThan(1_050);
  expect((await it.eventsOf(run)).at(-1)).toMatchObject({
    type: 'run.finished',
    status: 'failed',
    failure: { code: 'server-unauthorized' },
  });
  expect(it.sent).toBe(0);
});

test('a call that is turned away because its login has ended lines up again, and waits for the next one', async () => {
  const it = world();
  it.isLoggedIn = true;
  it.endsAtCall = true;
  const run = await it.request();
  expect(await it.drive(run)).toBe('waiting');
  expect(typesIn(await it.eventsOf(run)).slice(0, 2)).toEqual(['step.started', 'step.waiting']);
  it.endsAtCall = false;
  it.isLoggedIn = true;
  it.clock.pass(5_000);
  expect(await it.drive(run)).toBe('finished');
  expect(it.sent).toBe(1);
});

test('A login that cannot be read is asked for again, before the intent of the call and after it: no run fails of it.', async () => {
  const it = world();
  it.unread = 1;
  const run = await it.request();
  expect(await it.drive(run)).toBe('waiting');
  expect(typesIn(await it.eventsOf(run))).toEqual(['step.waiting', 'step.waiting', 'run.waiting']);
  expect(it.looks).toBe(2);

  const another = world();
  Object.assign(another, { isLoggedIn: true, endsAtCall: true, unread: 1 });
  const refused = await another.request();
  expect(await another.drive(refused)).toBe('waiting');
  expect([another.unread, another.sent]).toEqual([0, 0]);
  Object.assign(another, { isLoggedIn: true, endsAtCall: false });
  another.clock.pass(5_000);
  expect(await another.drive(refused)).toBe('finished');
  expect((await another.eventsOf(refused)).at(-1)).toMatchObject({ status: 'succeeded' });
  expect(another.sent).toBe(1);
});

test('a call that is refused although its login is there fails, and so does one of a run without a person', async () => {
  const it = world();
  it.isLoggedIn = true;
  it.failure = new FailureError('server-unauthorized', 'it lacks a scope', { delivery: 'rejected' });
  expect(await it.drive(await it.request())).toBe('finished');
  it.isLoggedIn = false;
  const run = await it.request({});
  expect(await it.drive(run)).toBe('finished');
  expect((await it.eventsOf(run)).at(-1)).toMatchObject({ status: 'failed' });
});

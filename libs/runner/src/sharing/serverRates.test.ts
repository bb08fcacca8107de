import { getEventListeners } from 'node:events';

import { MemoryBus, MemoryMeters, TestClock } from '@baton/testing';
import { expect, test } from 'vitest';

import { ServerRates, type ServerRate } from './serverRates.ts';

const second = { everyMs: 1_000, burst: 2, by: 'server' } as const;

function world(rates: Readonly<Record<string, ServerRate>> = {}) {
  const clock = new TestClock();
  const meters = new MemoryMeters(clock);
  const bus = new MemoryBus();
  const told: (string | undefined)[] = [];
  const open = (): ServerRates =>
    new ServerRates({
      meters,
      channels: bus,
      clock,
      random: () => 0.5,
      rateOf: (server) => rates[server],
      isOneServer: (server) => server !== 'http',
      onAway: (error) => told.push(error?.message),
    });
  return { bus, clock, meters, told, open, one: open() };
}

const callTo = (server: string, more: { name?: string; by?: string } = {}) => ({
  server,
  name: 't',
  by: 'ada',
  ...more,
});
const { signal } = new AbortController();
const heard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a server without a rate is paced by nothing, and nothing is asked for it', async () => {
  const { one, meters } = world();
  expect(one.isPaced('s')).toBe(false);
  expect(await one.mayBeSent(callTo('s'), signal)).toBe(true);
  expect(meters.asked).toEqual([]);
});

test('callers get their turns one after the other, and the burst first', async () => {
  const { one, clock } = world({ s: second });
  const turns = await Promise.all(Array.from({ length: 4 }, () => one.takeTurn(callTo('s'), {})));
  const at = clock.now();
  expect(turns).toEqual([0, 0, 1_000, 2_000].map((ms) => ({ kind: 'at', at: at + ms })));
});

test('a turn that has come is not taken again', async () => {
  const { one, clock, meters } = world({ s: second });
  expect(await one.takeTurn(callTo('s'), { had: clock.now() })).toEqual({ kind: 'at', at: clock.now() });
  expect(meters.asked).toEqual([]);
});

test('a tool, or a person, has a bucket of its own where the rate says so', async () => {
  const of = (by: ServerRate['by']) => world({ s: { everyMs: 1_000, burst: 1, by } });
  const waits = async ({ one, clock }: ReturnType<typeof of>): Promise<number[]> => {
    const calls = [callTo('s'), callTo('s', { name: 'u' }), callTo('s', { by: 'ben' })];
    const turns = await Promise.all(calls.map((call) => one.takeTurn(call, {})));
    return turns.map((turn) => (turn.kind === 'at' ? turn.at - clock.now() : -1));
  };
  expect(await waits(of('server'))).toEqual([0, 1_000, 2_000]);
  expect(await waits(of('tool'))).toEqual([0, 0, 1_000]);
  expect(await waits(of('person'))).toEqual([0, 1_000, 0]);
});

test('a turn that is too far for a client, or more than a year away, is not taken', async () => {
  const { one } = world({ s: { everyMs: 300 * 86_400_000, burst: 1, by: 'server' } });
  await one.takeTurn(callTo('s'), {});
  expect(await one.takeTurn(callTo('s'), { withinMs: 30_000 })).toEqual({ kind: 'tooFar', waitMs: 300 * 86_400_000 });
  expect(await one.takeTurn(callTo('s'), {})).toMatchObject({ kind: 'at' });
  expect(await one.takeTurn(callTo('s'), {})).toMatchObject({ kind: 'tooFar' });
});

test('a call that can be sent waits for its moment, and is not sent if that is more than two seconds away', async () => {
  const { one, clock } = world({ s: second });
  const sent = await Promise.all([one.mayBeSent(callTo('s'), signal), one.mayBeSent(callTo('s'), signal)]);
  expect(sent).toEqual([true, true]);
  const later = one.mayBeSent(callTo('s'), signal);
  await heard();
  expect(clock.isAwaited(1_000)).toBe(true);
  clock.pass(1_000);
  expect(await later).toBe(true);
  await Promise.all([one.takeTurn(callTo('s'), {}), heard()]);
  const three = [one, one, one].map((rates) => rates.mayBeSent(callTo('s'), signal));
  await heard();
  clock.pass(3_000);
  expect(await Promise.all(three)).toEqual([true, true, false]);
});

test('a server that asks to be called later is left alone by all processes, also by those that start later', async () => {
  const { one, open, clock } = world();
  const other = open();
  one.noteFailure('s', { code: 'server-overloaded', retryAfterMs: 10_000 });
  await heard();
  const later = open();
  await later.open();
  for (const rates of [one, other, later]) {
    expect([rates.isPaced('s'), rates.isPaced('t')]).toEqual([true, false]);
    expect(await rates.mayBeSent(callTo('s'), signal)).toBe(false);
    // Spread over a tenth of the pause.
    expect(await rates.takeTurn(callTo('s'), {})).toEqual({ kind: 'at', at: clock.now() + 10_500 });
  }
  one.noteFailure('s', { code: 'server-overloaded', retryAfterMs: 1_000 });
  clock.pass(9_999);
  expect(one.isPaced('s')).toBe(true);
  clock.pass(1);
  expect([one.isPaced('s'), other.isPaced('s'), later.isPaced('s')]).toEqual([false, false, false]);
});

test('a pause of a server with a rate moves all turns that are taken from then on', async () => {
  const { one, clock } = world({ s: second });
  one.noteFailure('s', { code: 'server-overloaded', retryAfterMs: 10_000 });
  const turns = await Promise.all([1, 2, 3].map(() => one.takeTurn(callTo('s'), { had: clock.now() })));
  expect(turns.map((turn) => turn.kind === 'at' && turn.at - clock.now())).toEqual([10_000, 10_000, 11_000]);
});

test('one address behind the built-in server says nothing of the others', async () => {
  const { one } = world();
  one.noteFailure('http', { code: 'server-overloaded', retryAfterMs: 10_000 });
  expect(one.isPaced('http')).toBe(false);
});

test('while the meters are away nothing is sent, and what waits asks again later', async () => {
  const { one, meters, told, clock } = world({ s: second });
  meters.isAway = true;
  expect(await one.takeTurn(callTo('s'), {})).toEqual({ kind: 'away', at: clock.now() + 7_500 });
  expect(await one.mayBeSent(callTo('s'), signal)).toBe(false);
  expect([one.isAway, told]).toEqual([true, ['the meters are away']]);
  meters.isAway = false;
  expect(await one.mayBeSent(callTo('s'), signal)).toBe(true);
  expect([one.isAway, told.at(-1)]).toEqual([false, undefined]);
});

test('The longer the meters are away, the later what waits asks again, at most in a minute.', async () => {
  const { one, meters, clock } = world({ s: second });
  meters.isAway = true;
  const pauses: number[] = [];
  for (const passedMs of [0, 4_000, 16_000, 3_600_000]) {
    clock.pass(passedMs);
    const turn = await one.takeTurn(callTo('s'), {});
    pauses.push(turn.kind === 'away' ? turn.at - clock.now() : 0);
  }
  expect(pauses).toEqual([7_500, 7_500, 15_000, 45_000]);
});

test('A wait for a turn leaves nothing at the signal of the call, and one that was given up before does not wait.', async () => {
  const { one, clock } = world({ s: { ...second, burst: 1 } });
  const given = new AbortController();
  await one.mayBeSent(callTo('s'), given.signal);
  const later = one.mayBeSent(callTo('s'), given.signal);
  await heard();
  expect(getEventListeners(given.signal, 'abort')).toHaveLength(1);
  clock.pass(1_000);
  await later;
  expect(getEventListeners(given.signal, 'abort')).toEqual([]);
  given.abort();
  await one.mayBeSent(callTo('s'), given.signal);
});

test.each(['no JSON', '[]', '["s"]', '["s","soon"]', '{"s":1}'])(
  'A message that says no pause pauses nothing: %s',
  (text) => {
    const { one, bus } = world();
    bus.send('paused', text);
    expect(one.isPaced('s')).toBe(false);
  },
);

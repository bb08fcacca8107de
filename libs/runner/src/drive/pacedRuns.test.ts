/** Runs that call a server with a rate: they wait for their turn before the intent of the call. */
import { type Run, type RunEvent, FailureError, replay, runSentence, sentenceInput, Trace } from '@baton/engine';
import {
  type AppendFate,
  MemoryBus,
  MemoryJournal,
  MemoryMeters,
  planOf,
  requestedEvent,
  soon,
  TestClock,
  testPorts,
} from '@baton/testing';
import { expect, test } from 'vitest';

import type { CallContext } from '../ports/calls.ts';
import { advance } from '../record/advance.ts';
import { type ServerRate, ServerRates } from '../sharing/serverRates.ts';
import { RunDrivers } from './runDrivers.ts';

interface World {
  readonly clock: TestClock;
  readonly meters: MemoryMeters;
  readonly journal: MemoryJournal;
  readonly rates: Record<string, ServerRate>;
  readonly sent: number[];
  /** How calls fail. */
  failure: FailureError | undefined;
  /** A new process. */
  readonly drivers: () => RunDrivers;
  readonly request: () => Promise<string>;
  readonly eventsOf: (runId: string) => Promise<readonly RunEvent[]>;
}

function world(
  steps = '{ id: one, tool: s/t }',
  rate: Partial<ServerRate> = {},
  fate: () => AppendFate = () => 'written',
): World {
  const clock = new TestClock();
  const meters = new MemoryMeters(clock);
  const journal = new MemoryJournal({ fate });
  const rates: Record<string, ServerRate> = { s: { everyMs: 60_000, burst: 1, by: 'server', ...rate } };
  const sent: number[] = [];
  const callTool = async (_: unknown, { awaitTurn, beginSend }: CallContext) => {
    await awaitTurn?.();
    if (beginSend?.() !== true) throw new Error('fenced');
    if (made.failure !== undefined) throw made.failure;
    sent.push(clock.now());
    return { result: { content: [] } };
  };
  const plan = planOf(`workflow: w\nsteps:\n  - ${steps}\n`);
  const drivers = (): RunDrivers => {
    const pace = new ServerRates({
      meters,
      channels: new MemoryBus(),
      clock,
      random: () => 0,
      rateOf: (server) => rates[server],
      isOneServer: () => true,
      onAway: () => {},
    });
    return new RunDrivers(
      testPorts({ journal, blobs: journal.blobs, plans: async () => plan, clock, pace, calls: { callTool } }),
    );
  };
  const request = async (): Promise<string> => {
    const made = await journal.request({ event: requestedEvent() });
    if (made.kind !== 'created') throw new Error(made.kind);
    return made.runId;
  };
  const eventsOf = async (runId: string) => (await journal.open(runId))?.events ?? [];
  const made: World = { clock, meters, journal, rates, sent, failure: undefined, drivers, request, eventsOf };
  return made;
}

const typesIn = (events: readonly RunEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => !/^run\.(requested|claimed)$/.test(type));

const sentenceOf = (runId: string, events: readonly RunEvent[], nowMs: number): string => {
  const run: Run = replay(runId, events);
  return runSentence(sentenceInput(run), Trace.of(events).steps, nowMs);
};

test('a run whose turn is far waits in the journal, without the intent of its call', async () => {
  const { clock, sent, drivers, request, eventsOf } = world();
  const [first, second] = [await request(), await request()];
  expect(await drivers().drive(first)).toBe('finished');
  expect(await drivers().drive(second)).toBe('waiting');
  const events = await eventsOf(second);
  expect(typesIn(events)).toEqual(['step.waiting', 'step.waiting', 'run.waiting']);
  expect(events.at(-1)).toMatchObject({ wakeAt: clock.now() + 60_000 });
  expect(sentenceOf(second, events, clock.now())).toBe('one waits for its turn at s, which comes in 1 m.');
  expect(Trace.of(events).step('one')?.attempts).toEqual([]);
  expect(sent).toHaveLength(1);

  clock.pass(60_000);
  expect(await drivers().drive(second)).toBe('finished');
  expect(typesIn(await eventsOf(second)).slice(3)).toEqual(['step.started', 'step.succeeded', 'run.finished']);
  expect(sent).toHaveLength(2);
});

test.each([
  ['that it is overloaded', 'server-overloaded', 30_000],
  ['nothing, as this process does not try it for a while', 'server-unreachable', undefined],
] as const)(
  'all processes call a server later only where the server says so: it says %s',
  async (_, code, pausedMs) => {
    const paced = world();
    paced.failure = new FailureError(code, 'Later.', { delivery: 'unsent', retryAfterMs: 30_000 });
    await paced.drivers().drive(await paced.request());
    expect((await paced.meters.pauses()).get('s')).toBe(pausedMs);
  },
);

test('a turn that comes within two seconds is waited for in the process', async () => {
  const { clock, drivers, request, eventsOf } = world(undefined, { everyMs: 1_500 });
  await drivers().drive(await request());
  const second = await request();
  const driven = drivers().drive(second);
  await soon(() => expect(clock.isAwaited(1_500)).toBe(true));
  clock.pass(1_500);
  expect(await driven).toBe('finished');
  expect(typesIn(await eventsOf(second))).toEqual(['step.waiting', 'step.started', 'step.succeeded', 'run.finished']);
});

test('a bell that rings before the turn changes nothing, and takes no second turn', async () => {
  const { meters, drivers, request, eventsOf } = world();
  await drivers().drive(await request());
  const second = await request();
  await drivers().drive(second);
  const [asked, events] = [meters.asked.length, await eventsOf(second)];
  expect(await drivers().drive(second)).toBe('waiting');
  expect(meters.asked).toHaveLength(asked);
  expect((await eventsOf(second)).length).toBe(events.length);
});

test('runs that come late make no burst: those beyond the bucket line up anew, and their calls were not sent', async () => {
  const { clock, sent, drivers, request, eventsOf } = world();
  const runs = await Promise.all([1, 2, 3, 4].map(request));
  for (const runId of runs) await drivers().drive(runId);
  expect(sent).toHaveLength(1);
  // All workers were away for an hour.
  clock.pass(3_600_000);
  const outcomes: string[] = [];
  for (const runId of runs.slice(1)) outcomes.push(await drivers().drive(runId));
  expect([outcomes, sent.length]).toEqual([['finished', 'waiting', 'waiting'], 2]);
  const events = await eventsOf(String(runs[2]));
  expect(typesIn(events).slice(-3)).toEqual(['step.waiting', 'step.waiting', 'run.waiting']);
  expect(Trace.of(events).step('one')).toMatchObject({ status: 'waiting', attempts: [] });
  for (let minutes = 0; minutes < 4; minutes++) {
    clock.pass(60_000);
    for (const runId of runs.slice(2)) await drivers().drive(runId);
  }
  expect(sent).toHaveLength(4);
  expect(typesIn(await eventsOf(String(runs[3]))).at(-1)).toBe('run.finished');
});

test('a run that is cancelled while it waits makes no call, and the others keep their turns', async () => {
  const { clock, journal, sent, drivers, request, eventsOf } = world();
  const [first, second, third] = [await request(), await request(), await request()];
  for (const runId of [first, second, third]) await drivers().drive(runId);
  await advance(journal, second, (run) => [{ type: 'run.cancelRequested', at: run.at, by: 'ada' }]);
  expect(await drivers().drive(second)).toBe('finished');
  expect((await eventsOf(second)).at(-1)).toMatchObject({ status: 'cancelled' });
  clock.pass(60_000);
  expect(await drivers().drive(third)).toBe('waiting');
  expect(sent).toHaveLength(1);
  clock.pass(60_000);
  expect(await drivers().drive(third)).toBe('finished');
  expect(sent).toHaveLength(2);
});

test('items of a loop each wait for their own turn, and none is left out', async () => {
  const loop =
    '{ id: each, forEach: [1, 2, 3, 4, 5, 6], as: n, maxParallel: 3, steps: [{ id: t, tool: s/t, with: { n: "${{ n }}" } }] }';
  const { clock, sent, drivers, request, eventsOf } = world(loop, { burst: 2 });
  const runId = await request();
  for (let minutes = 0; minutes < 20 && (await drivers().drive(runId)) !== 'finished'; minutes++) clock.pass(60_000);
  expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: 'run.finished', status: 'succeeded' });
  expect(sent).toHaveLength(6);
});

test('while the meters are away a run waits, says why, and goes on when they are back', async () => {
  const { clock, meters, sent, drivers, request, eventsOf } = world();
  const runId = await request();
  meters.isAway = true;
  expect(await drivers().drive(runId)).toBe('waiting');
  expect(sentenceOf(runId, await eventsOf(runId), clock.now())).toContain('the turns cannot be asked now');
  clock.pass(5_000);
  expect(await drivers().drive(runId)).toBe('waiting');
  meters.isAway = false;
  clock.pass(5_000);
  expect(await drivers().drive(runId)).toBe('finished');
  expect(sent).toHaveLength(1);
});

test('a run that waits for its turn begins at that time, also where its server has no rate any more', async () => {
  const { clock, rates, sent, drivers, request } = world();
  await drivers().drive(await request());
  const second = await request();
  await drivers().drive(second);
  delete rates['s'];
  clock.pass(60_000);
  expect(await drivers().drive(second)).toBe('finished');
  expect(sent).toHaveLength(2);
});

test('a rate that is changed while runs wait leaves their turns, and holds for the calls and the turns after that', async () => {
  const { clock, rates, sent, drivers, request, eventsOf } = world();
  const [first, second, third] = [await request(), await request(), await request()];
  await drivers().drive(first);
  for (const id of [second, third]) expect(await drivers().drive(id)).toBe('waiting');
  rates['s'] = { everyMs: 600_000, burst: 1, by: 'server' };
  const fourth = await request();
  const start = clock.now();
  expect(await drivers().drive(fourth)).toBe('waiting');
  // Behind the turns that were given.
  expect((await eventsOf(fourth)).at(-1)).toMatchObject({ wakeAt: start + 180_000 });
  clock.pass(60_000);
  expect(await drivers().drive(second)).toBe('finished');
  clock.pass(60_000);
  // Its turn has come, and the server has had its call of these ten minutes: it was not sent, and lines up anew.
  expect(await drivers().drive(third)).toBe('waiting');
  expect(sent).toEqual([start, start + 60_000]);
  rates['s'] = { everyMs: 1_000, burst: 1, by: 'server' };
  for (const id of [third, fourth]) {
    clock.pass(3_600_000);
    expect(await drivers().drive(id)).toBe('finished');
  }
});

test('a condition that was true when the step lined up is not asked again', async () => {
  const { clock, drivers, request, eventsOf } = world('{ id: one, if: true, tool: s/t }');
  await drivers().drive(await request());
  const second = await request();
  await drivers().drive(second);
  clock.pass(60_000);
  await drivers().drive(second);
  expect((await eventsOf(second)).at(-1)).toMatchObject({ status: 'succeeded' });
});

test.each(['lost', 'unheard'] as const)(
  'a run takes one turn for its call, whichever of its appends is %s',
  async (fate) => {
    for (let which = 1; which <= 4; which++) {
      let count = 0;
      const { meters, sent, drivers, request, eventsOf } = world(undefined, { everyMs: 86_400_000 }, () =>
        ++count === which + 1 ? fate : 'written',
      );
      const runId = await request();
      await drivers().drive(runId);
      expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: 'run.finished', status: 'succeeded' });
      expect([meters.asked.filter((name) => name.includes('line')).length, sent.length]).toEqual([1, 1]);
    }
  },
);

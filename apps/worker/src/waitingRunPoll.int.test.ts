import { randomUUID } from 'node:crypto';

import { Semaphore } from '@baton/primitives';
import { advance, systemClock, WaitingRunPoll } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { waitingRuns } from './waitingRuns.ts';

let store: FreshStore;

beforeEach(async () => {
  store = await freshStore();
});

afterEach(() => store.close());

const newRun = async (workflow: string, by: string): Promise<string> => {
  const event = requestedEvent({ at: Date.now() - 60_000, workflow, by });
  return (await store.request({ event })).runId;
};

interface Stage {
  readonly poll: WaitingRunPoll;
  /** The runs that the worker drives; none ends. */
  readonly taken: Set<string>;
  readonly slots: Semaphore;
  /** Runs whose drivers were told to look again. */
  readonly hinted: string[];
}

/**
 * `onAsk`: called when Postgres is about to be asked for runs. `runsByCaller`: absent, all runs are those of one caller.
 */
function startPoll({
  concurrency,
  onAsk,
  runsByCaller,
  setAside = [],
}: {
  concurrency: number;
  setAside?: readonly string[];
  onAsk?: (stage: Stage) => void;
  runsByCaller?: ReadonlyMap<string, number>;
}): Stage {
  const slots = new Semaphore(concurrency);
  const taken = new Set<string>();
  const hinted: string[] = [];
  const poll = new WaitingRunPoll({
    waiting: waitingRuns(store, 'w-1'),
    clock: systemClock,
    setAside: { ids: () => setAside },
    drives: {
      get size() {
        return taken.size;
      },
      get runIds() {
        onAsk?.(stage);
        return [...taken];
      },
      servedCallers: () => [],
      runsByCaller: () => runsByCaller ?? new Map([['greedy', taken.size]]),
      routeHint: ({ runId }) => hinted.push(runId),
    },
    // A run that is driven already is not driven twice.
    take: (runId) => {
      if (taken.has(runId)) return Promise.resolve();
      taken.add(runId);
      return new Promise(() => undefined);
    },
    onTrouble: () => undefined,
    bells: { tryTakeSlot: () => slots.tryTake() },
    concurrency,
  });
  const stage = { poll, taken, slots, hinted };
  onTestFinished(() => poll.close());
  return stage;
}

const concurrency = 4;
const slotsOfWorker = concurrency + 2;
const manyRuns = (): Promise<string[]> =>
  Promise.all(Array.from({ length: 20 }, (_, at) => newRun(`many-${at}`, 'greedy')));

function bellsTakeAll({ taken, slots }: Stage, runs: readonly string[]): void {
  for (const run of runs) if (!taken.has(run) && slots.tryTake() !== undefined) taken.add(run);
}

test('bells and polls together leave a slot for a caller without runs, who gets it at once when a run is offered', async () => {
  const many = await manyRuns();
  const stage = startPoll({ concurrency });
  const { poll, taken } = stage;
  await expect.poll(() => taken.size).toBeGreaterThan(0);
  bellsTakeAll(stage, many);
  expect(taken.size).toBe(slotsOfWorker - 1);
  expect(poll.callersWithShare()).toEqual(['greedy']);
  const again = await newRun('many-21', 'greedy');
  const modest = await newRun('few', 'modest');
  poll.consider(again);
  poll.consider(modest);
  await expect.poll(() => taken.has(modest)).toBe(true);
  expect(taken.size).toBe(slotsOfWorker);
});

test('A slot that becomes free is given to the run that was offered first, and not to the one that is offered then', async () => {
  const many = await manyRuns();
  const stage = startPoll({ concurrency });
  const { poll, taken } = stage;
  await expect.poll(() => taken.size).toBeGreaterThan(0);
  bellsTakeAll(stage, many);
  const [modest, first, second] = [
    await newRun('few', 'modest'),
    await newRun('few', 'ada'),
    await newRun('few', 'bob'),
  ];
  poll.consider(modest);
  await expect.poll(() => taken.size).toBe(slotsOfWorker);
  poll.consider(first);
  taken.delete(modest);
  poll.consider(second);
  await expect.poll(() => taken.has(first)).toBe(true);
  expect(taken.has(second)).toBe(false);
});

test.each([
  [{ greedy: 1 }, 1, ['greedy']],
  [{ greedy: 3, modest: 1 }, 4, ['greedy']],
  [{ greedy: 2, other: 2, modest: 1 }, 5, ['greedy', 'other']],
  // Two are not read yet.
  [{ modest: 1 }, 3, []],
])(
  'callers who have no fewer runs than each other caller have their share, however few: of %j among %i runs',
  (counts, size, expected) => {
    const runsByCaller = new Map(Object.entries(counts));
    const { poll, taken } = startPoll({ concurrency: 40, runsByCaller });
    for (let count = 0; count < size; count += 1) taken.add(randomUUID());
    expect(poll.callersWithShare()).toEqual(expected);
  },
);

test('runs that could not be driven a moment ago hold up no other run, in a free worker and in a crowded one', async () => {
  const setAside = await Promise.all([0, 1, 2].map((n) => newRun(`undrivable-${n}`, 'greedy')));
  const run = await newRun('other', 'greedy');
  const free = startPoll({ concurrency: 1, setAside });
  await expect.poll(() => [...free.taken]).toEqual([run]);
  const crowded = startPoll({ concurrency: 1, setAside });
  crowded.slots.tryTake();
  crowded.taken.add(randomUUID());
  await expect.poll(() => crowded.taken.has(run)).toBe(true);
  expect(setAside.some((runId) => crowded.taken.has(runId))).toBe(false);
});

test('a poll leaves the last slot free where bells took theirs while it asked', async () => {
  const many = await manyRuns();
  const { poll, taken } = startPoll({ concurrency, onAsk: (stage) => bellsTakeAll(stage, many) });
  await expect.poll(() => taken.size).toBeGreaterThan(concurrency);
  expect(taken.size).toBe(slotsOfWorker - 1);
  poll.consider(await newRun('few', 'modest'));
  await expect.poll(() => taken.size).toBe(slotsOfWorker);
});

test('a caller without runs gets the last slot, also where others were taken while Postgres was asked', async () => {
  const modest = await newRun('few', 'modest');
  const stage = startPoll({
    concurrency,
    onAsk: ({ taken }) => {
      for (let count = taken.size; count < slotsOfWorker - 1; count += 1) taken.add(randomUUID());
    },
  });
  stage.poll.consider(modest);
  await expect.poll(() => stage.taken.has(modest)).toBe(true);
});

test('an offered run does not wait for a poll, and the two do not each give its caller a share', async () => {
  const many = await manyRuns();
  const modest = await newRun('few', 'modest');
  const takenAtLooks: number[] = [];
  const { poll, taken } = startPoll({
    concurrency,
    onAsk: (stage) => {
      if (takenAtLooks.push(stage.taken.size) === 1) stage.poll.consider(many.at(-1) ?? '');
    },
  });
  await expect.poll(() => takenAtLooks.length).toBeGreaterThan(1);
  expect(takenAtLooks[1]).toBe(0);
  // Looked at when the look before it has taken its runs.
  poll.consider(randomUUID());
  await expect.poll(() => takenAtLooks.length > 2 && taken.has(modest)).toBe(true);
  expect(taken.size - 1).toBeLessThanOrEqual(slotsOfWorker / 2);
});

test('a worker that stops looks at no offered run', async () => {
  const runId = await newRun('few', 'modest');
  let looks = 0;
  const { poll } = startPoll({ concurrency, onAsk: () => (looks += 1) });
  poll.consider(runId);
  await expect.poll(() => looks).toBe(1);
  poll.close();
  poll.consider(runId);
  await new Promise(setImmediate);
  expect(looks).toBe(1);
});

test('a run of this worker whose cancel was not heard of looks again', async () => {
  const runId = await newRun('slow', 'greedy');
  const { hinted } = startPoll({ concurrency });
  await advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'run.cancelRequested', at, by: 'ada' },
  ]);
  await expect.poll(() => hinted).toContain(runId);
});

test('of very many runs that are offered at once the first two hundred are looked at, the others at the next poll', async () => {
  const [late, later] = [await newRun('few', 'modest'), await newRun('few', 'modest')];
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  // The next poll never comes.
  const { poll, taken } = startPoll({ concurrency });
  vi.useRealTimers();
  for (let count = 0; count < 200; count += 1) poll.consider(randomUUID());
  poll.consider(late);
  await expect.poll(() => poll.consider(later) === undefined && taken.has(later)).toBe(true);
  expect(taken.has(late)).toBe(false);
});

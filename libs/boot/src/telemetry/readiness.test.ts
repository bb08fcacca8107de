import { expect, test } from 'vitest';

import { offState, Readiness } from './readiness.ts';

const queue = { doctor: async () => ({ isReachable: true, kind: 'redis', findings: [] }) };
const history = { warning: (): string | undefined => undefined };
const clock = { monotonic: () => 0, after: () => () => undefined, warning: () => undefined };

test.each([
  [undefined, { status: 'ok', parts: { retention: { status: 'ok' } } }],
  [
    'Nothing was removed.',
    { status: 'degraded', parts: { retention: { status: 'off', message: 'Nothing was removed.' } } },
  ],
])('what retention says (%s) is told, and makes the service degraded at most', async (message, ready) => {
  const readiness = new Readiness({ writeFault: async () => undefined, queue, clock, history });
  readiness.add('retention', { state: () => offState(message), isVital: false });
  expect(await readiness.ask()).toMatchObject(ready);
});

test.each([
  ['A process that only drives is down without its worker', true, 'down'],
  ['A process that also accepts runs is degraded without its worker', false, 'degraded'],
] as const)('%s', async (_, isVital, status) => {
  const readiness = new Readiness({ writeFault: async () => undefined, queue, clock, history });
  const worker = { status: 'away', message: 'It is starting.' } as const;
  readiness.add('worker', { state: () => worker, isVital });
  expect(await readiness.ask()).toMatchObject({ status, parts: { worker } });
});

test('a process that removes nothing says nothing of it', async () => {
  const { parts } = await new Readiness({ writeFault: async () => undefined, queue, clock, history }).ask();
  expect(Object.keys(parts)).toEqual(['postgres', 'queue', 'clock', 'history']);
});

test('a Postgres that hangs is waited for two seconds', async () => {
  const timers = new Map<number, () => void>();
  const after = (ms: number, call: () => void): (() => void) => {
    timers.set(ms, call);
    return () => undefined;
  };
  const hanging = new Promise<never>(() => undefined);
  const answer = new Readiness({ writeFault: () => hanging, queue, clock: { ...clock, after }, history }).ask();
  expect([...timers.keys()]).toEqual([2_000]);
  timers.get(2_000)?.();
  const postgres = { status: 'away', message: 'Postgres does not answer.' };
  expect(await answer).toMatchObject({ status: 'down', parts: { postgres } });
});

test.each([
  [false, 'Redis cannot be reached; workers'],
  [true, 'Redis refuses the user or the password in REDIS_URL; workers'],
])('a Redis that is away (refuses: %s) is told from one that refuses the credentials', async (isRefused, start) => {
  const doctor = async () => ({ isReachable: false, isRefused, kind: 'redis', findings: [] });
  const { status, parts } = await new Readiness({
    writeFault: async () => undefined,
    queue: { doctor },
    clock,
    history,
  }).ask();
  expect([status, parts.queue]).toEqual([
    'degraded',
    { status: 'away', message: expect.stringMatching(`^${start}`) as string },
  ]);
});

test('a Postgres that takes no writes makes the process unready, with the reason', async () => {
  const writeFault = async (): Promise<string> => 'Postgres is read-only.';
  const { status, parts } = await new Readiness({ writeFault, queue, clock, history }).ask();
  expect([status, parts.postgres]).toEqual(['down', { status: 'away', message: 'Postgres is read-only.' }]);
});

test('A Postgres that went back in time fences the process until a person lifts the fence', async () => {
  let message: string | undefined = 'Postgres went back in time.';
  const rewound = { warning: () => message };
  const ready = () => new Readiness({ writeFault: async () => undefined, queue, clock, history: rewound }).ask();
  expect(await ready()).toMatchObject({ status: 'fenced', parts: { history: { status: 'off', message } } });
  message = undefined;
  expect(await ready()).toMatchObject({ status: 'ok', parts: { history: { status: 'ok' } } });
});

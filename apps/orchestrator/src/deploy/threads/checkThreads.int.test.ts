import { ProblemError } from '@baton/api';
import { type CheckLimits, CheckThreads } from '@baton/control';
import { expect, onTestFinished, test } from 'vitest';

import { asProblem } from '../../http/asProblem.ts';

const text = 'workflow: w\nsteps:\n  - set: { a: 1 }\n';
const overloaded = { code: 'overloaded', status: 503, headers: { 'retry-after': '1' } };

function openThreads(limits?: Partial<CheckLimits>, program?: URL): CheckThreads {
  const threads = new CheckThreads(limits, program);
  onTestFinished(() => threads.close());
  return threads;
}

test('more checks than may wait are refused as too many, and not as a database that is down', async () => {
  const threads = openThreads();
  const asked = Array.from({ length: 110 }, () => threads.run({ kind: 'outline', text }));
  const ended = await Promise.allSettled(asked);
  const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toBeInstanceOf(ProblemError);
  expect(asProblem(refused[0])).toMatchObject({ ...overloaded, detail: '100 checks of workflows wait already.' });
});

test('a check that waits when the process ends is refused, and can be asked of another', async () => {
  const threads = openThreads();
  const asked = Array.from({ length: 5 }, () => threads.run({ kind: 'outline', text }));
  const ended = Promise.allSettled(asked);
  await threads.close();
  const problems = (await ended).flatMap((one) => (one.status === 'rejected' ? [asProblem(one.reason)] : []));
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems)
    expect(problem).toMatchObject({ ...overloaded, detail: 'This orchestrator is ending.' });
});

test('a thread that has nothing to do is ended, and the next check gets a new one', async () => {
  const threads = openThreads({ idleMs: 1 });
  threads.warm();
  await expect.poll(() => threads.size).toBe(0);
  const checked = await threads.run({ kind: 'outline', text });
  expect(checked.kind).toBe('answered');
  await expect.poll(() => threads.size).toBe(0);
});

test('a thread that has nothing to do is kept for a while', async () => {
  const threads = openThreads();
  await threads.run({ kind: 'outline', text });
  await threads.run({ kind: 'outline', text });
  expect(threads.size).toBe(1);
});

/** Answers a task, and fails when it is told to: as a thread does whose heap is full when it is done. */
const failing = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  new BroadcastChannel('end').onmessage = () => { throw new Error('It ended while it was idle.'); };
  parentPort.once('message', () => parentPort.postMessage({ kind: 'answer', answer: 'done' }));
`)}`,
);

test('a thread that ends while it is idle ends nothing else, and the next check gets a new one', async () => {
  const threads = openThreads({}, failing);
  // Told to fail when its answer is here: a failure and an answer may come in either order.
  const channel = new BroadcastChannel('end');
  onTestFinished(() => channel.close());
  for (let round = 0; round < 5; round++) {
    const ended = await threads.run({ kind: 'outline', text });
    expect(ended).toEqual({ kind: 'answered', answer: 'done' });
    expect(threads.size).toBe(1);
    channel.postMessage('now');
    await expect.poll(() => threads.size).toBe(0);
  }
});

test('a check that is asked for when the process has ended its threads starts none', async () => {
  const threads = openThreads();
  await threads.close();
  await expect(threads.run({ kind: 'outline', text })).rejects.toThrow('This orchestrator is ending.');
  expect(threads.size).toBe(0);
});

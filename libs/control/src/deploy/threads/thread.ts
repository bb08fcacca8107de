/** The program of one thread of `CheckThreads`: takes a task, reports which schema it examines, answers. */
import { parentPort } from 'node:worker_threads';

import { unawaited } from '@baton/primitives';

import { type CheckTask, carryOut } from './checkTask.ts';
import { type ThreadMessage, processorMs } from './checkThread.ts';

const say = (said: ThreadMessage): void => parentPort?.postMessage(said);

const workedMs = (): number => processorMs(process.threadCpuUsage());

async function work(task: CheckTask): Promise<void> {
  say({ kind: 'begun', workedMs: workedMs() });
  const answer = await carryOut(task, (schema) => say({ kind: 'at', schema, workedMs: workedMs() }));
  say({ kind: 'answer', answer });
}

// An error of the work ends the thread, and reaches its owner as an `error` event.
parentPort?.on('message', (task: CheckTask) => unawaited(work(task)));

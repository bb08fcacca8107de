/** One thread of `CheckThreads`: takes a task, says which schema it is at, answers. */
import { parentPort } from 'node:worker_threads';

import type { Task } from './checkTask.ts';
import { carryOut } from './checkTask.ts';
import type { Said } from './checkThread.ts';
import { processorMs } from './checkThread.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (said: Said): void => parentPort?.postMessage(said);

const workedMs = (): number => processorMs(process.threadCpuUsage());

parentPort?.on('message', (task: Task) => {
  say({ kind: 'begun', workedMs: workedMs() });
  const answer = carryOut(task, (schema) => say({ kind: 'at', schema, workedMs: workedMs() }));
  say({ kind: 'answer', answer });
});

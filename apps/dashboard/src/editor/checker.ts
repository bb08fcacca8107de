/** The checker's thread, started when it is first needed. */
import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

interface PendingCheck {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly problem?: string;
}

let thread: Worker | undefined;
let lastId = 0;
let sentKnown: KnownWorld | undefined;
const pending = new Map<number, PendingCheck>();

function started(): Worker {
  if (thread !== undefined) return thread;
  thread = new Worker(new URL('./checker.worker.ts', import.meta.url), { type: 'module', name: 'checker' });
  thread.addEventListener('message', ({ data: { id, answer, problem } }: MessageEvent<Reply>) => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (problem === undefined) waiting?.resolve(answer as never);
    else waiting?.reject(new Error(problem));
  });
  thread.addEventListener('error', ({ message }) => {
    thread = undefined;
    sentKnown = undefined;
    for (const { reject } of pending.values())
      reject(new Error(message === '' ? 'The checker did not start.' : message));
    pending.clear();
  });
  return thread;
}

function ask<Method extends keyof CheckerAnswers>(
  method: Method,
  parts: Omit<CheckerCall, 'id' | 'method'>,
): Promise<CheckerAnswers[Method]> {
  const { promise, resolve, reject } = Promise.withResolvers<CheckerAnswers[Method]>();
  lastId += 1;
  pending.set(lastId, { resolve, reject });
  const worker = started();
  const { known, ...others } = parts;
  const isNew = known !== undefined && known !== sentKnown;
  if (isNew) sentKnown = known;
  worker.postMessage({ id: lastId, method, ...others, ...(isNew && { known }) } satisfies CheckerCall);
  return promise;
}

export const checker = {
  format: (text: string) => ask('format', { text }),
  graph: (text: string, known: KnownWorld) => ask('graph', { text, known }),
  check: (text: string, known: KnownWorld) => ask('check', { text, known }),
  complete: (text: string, offset: number, known: KnownWorld) => ask('complete', { text, offset, known }),
  hover: (text: string, offset: number, known: KnownWorld) => ask('hover', { text, offset, known, nowMs: Date.now() }),
};

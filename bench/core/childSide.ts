/** The parent's end of a side that lives in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { stopProcess } from '@baton/boot';

import type { Load, Measured, Side } from './load.ts';

export interface ChildOptions {
  readonly file: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

export interface Child {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  ask(load: Load): Promise<Measured | undefined>;
  stop(): Promise<void>;
}

interface ChildMessage {
  readonly ready?: Readonly<Record<string, unknown>> | true;
  readonly measured?: Measured | null;
  readonly failed?: string;
}

// Each child is taken along when this process goes, and there are many.
process.setMaxListeners(0);

/** Rejects where it ends before it is ready. */
export async function startChild({ file, args = [], cwd, env = {}, execArgv = [] }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...execArgv, file, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    // What it says is for people; stdout is data.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const onExit = (): void => void child.kill('SIGTERM');
  process.once('exit', onExit);
  const gone = once(child, 'exit').then(() => process.removeListener('exit', onExit));
  const told = await next(child, gone, file);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  return {
    pid,
    ready: typeof told.ready === 'object' ? told.ready : (told as Readonly<Record<string, unknown>>),
    ask: async (load) => {
      child.send(load);
      return (await next(child, gone, file)).measured ?? undefined;
    },
    stop: async () => {
      const steps = [{ signal: 'SIGTERM', waitMs: 15_000 } as const, { signal: 'SIGKILL', waitMs: 2_000 } as const];
      await stopProcess(pid, steps);
      await gone;
    },
  };
}

async function next(child: ChildProcess, gone: Promise<unknown>, file: string): Promise<ChildMessage> {
  const answer = Promise.withResolvers<ChildMessage>();
  child.once('message', (message) => answer.resolve(message as ChildMessage));
  void gone.then(() => answer.reject(new Error(`${file} ended`)));
  const told = await answer.promise;
  if (told.failed !== undefined) throw new Error(`${file}: ${told.failed}`);
  return told;
}

export const childSide = (
  child: Child,
  about: Pick<Side, 'name' | 'backend' | 'durable'>,
  { pids = [], trees = [] }: Partial<Pick<Side, 'pids' | 'trees'>> = {},
): Side => ({ ...about, measure: (load) => child.ask(load), pids: [child.pid, ...pids], trees });

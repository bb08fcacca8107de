/** A process of one's own that runs a few lines of TypeScript, for tests of how processes live and die. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { inject } from 'vitest';

export interface ScriptProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** All lines so far, of stdout and stderr. */
  readonly lines: readonly string[];
  /**
   * The first line that begins with `start`, said before or after; what follows it. Rejects when the process ends
   * first.
   */
  said(start: string): Promise<string>;
  /** Exit code, or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface ScriptOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** With a channel, as a supervisor gives it. */
  readonly ipc?: boolean;
}

/** URL of a module of the rooms, as it is bundled for scripts: see tests/builtApps.ts. */
export const scriptModule = (name: string): string => pathToFileURL(join(inject('builtApps'), `${name}.js`)).href;

/** The script is a module; what it imports it names by URL. It is killed with the test process, never later. */
export function runScript(code: string, { env = {}, ipc = false }: ScriptOptions = {}): ScriptProcess {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ipc ? 'ipc' : 'ignore'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const one of waiting) one();
  };
  const outputs = [child.stdout, child.stderr].flatMap((input) => (input === null ? [] : [createInterface({ input })]));
  for (const output of outputs) {
    output.on('line', (line) => {
      lines.push(line);
      look();
    });
  }
  let isOver = false;
  // Not the event `close`: it never comes to a child whose channel we have closed.
  const ends = [once(child, 'exit'), ...outputs.map((output) => once(output, 'close'))];
  const ended = Promise.all(ends).then(([exit = []]) => {
    isOver = true;
    look();
    const [exitCode, signal] = exit as [number | null, NodeJS.Signals];
    return exitCode ?? signal;
  });
  const onExit = (): void => void child.kill('SIGKILL');
  process.once('exit', onExit);
  void ended.then(() => process.removeListener('exit', onExit));
  const said = (start: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const one = (): void => {
        const line = lines.find((text) => text.startsWith(start));
        if (line === undefined && !isOver) return;
        waiting.delete(one);
        if (line === undefined) reject(new Error(`the script ended before it said "${start}":\n${lines.join('\n')}`));
        else resolve(line.slice(start.length));
      };
      waiting.add(one);
      one();
    });
  if (child.pid === undefined) throw new Error('the script could not be started');
  return { child, pid: child.pid, lines, said, ended };
}

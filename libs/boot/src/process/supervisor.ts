/**
 * Child processes of `baton dev`: started, restarted when they die, and gone when this process is. They are in a session
 * of their own, so that Ctrl-C reaches the supervisor alone, which stops them in order; should the supervisor be killed,
 * they notice by their channel to it (see `Lifecycle`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { backoffMs } from '@baton/primitives';

export interface ChildOptions {
  /** A script for this same Node. */
  readonly file: string;
  readonly args?: readonly string[];
  /** Asked at each start. */
  readonly env: () => Readonly<Record<string, string | undefined>>;
  /** Sent to it at each start: see `onSupervisor`. */
  readonly greeting?: Readonly<Record<string, unknown>>;
  /** Each message that it sends with `sendToSupervisor`. */
  readonly onMessage?: (message: unknown) => void;
  /** Each line that it writes, to stdout or stderr. */
  readonly onLine: (line: string) => void;
  /** Decides after its death whether it is restarted. Absent: always. */
  readonly mayRestart?: (how: string) => boolean;
  /**
   * Called when the process died and will be restarted after `afterMs`. `how`: the signal, or the exit code in words.
   */
  readonly onRestart?: (how: string, afterMs: number) => void;
}

/** Between a death and the next start; from the beginning again after it has lived for a while. */
const pauses = { firstMs: 200, longestMs: 10_000 };
const longLifeMs = 30_000;

export class SupervisedChild {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #deaths = 0;
  #isStopping = false;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Asks the process to stop, and kills it after the grace period. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await gone;
    clearTimeout(timer);
  }

  /** To the child: see `onSupervisor`. False where there is none just now. */
  send(message: Readonly<Record<string, unknown>>): boolean {
    return this.#child?.send(message, () => {}) ?? false;
  }

  #start(): void {
    const { file, args = [], env, onLine, greeting, onMessage = () => undefined } = this.#options;
    const startedAt = performance.now();
    // Without our own execArgv: code that this process was started to evaluate must not run again in its children.
    const child = spawn(process.execPath, [file, ...args], {
      env: env(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const input of [child.stdout, child.stderr]) if (input !== null) createInterface({ input }).on('line', onLine);
    this.#child = child;
    if (greeting !== undefined) this.send(greeting);
    // On any exit that still runs code, the child is stopped at once, before it notices the closed channel.
    const onExit = (): boolean => child.kill('SIGTERM');
    process.once('exit', onExit);
    child.on('message', onMessage);
    const onGone = (how: string): void => {
      process.removeListener('exit', onExit);
      this.#child = undefined;
      if (performance.now() - startedAt > longLifeMs) this.#deaths = 0;
      this.#onDeath(how);
    };
    child.once('exit', (code, signal) => onGone(signal ?? `exit code ${code}`));
    child.once('error', (error) => {
      if (child.pid === undefined) onGone(error.message);
    });
  }

  #onDeath(how: string): void {
    if (this.#isStopping) return;
    const { mayRestart = () => true, onRestart } = this.#options;
    if (!mayRestart(how)) return;
    this.#deaths += 1;
    const delayMs = backoffMs(this.#deaths, pauses);
    onRestart?.(how, delayMs);
    this.#timer = setTimeout(() => this.#start(), delayMs);
  }
}

/** Sends a message from a child to its supervisor, if it has one. */
export function sendToSupervisor(message: Readonly<Record<string, unknown>>): void {
  process.send?.(message);
}

/** Handles requests of the supervisor. */
export function onSupervisor(ask: (message: Readonly<Record<string, unknown>>) => void): void {
  process.on('message', (message) => ask(message as Readonly<Record<string, unknown>>));
}

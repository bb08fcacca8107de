/**
 * A server as a process: started without a shell, in its own process group, and ended with everything that it started.
 *
 * Its stderr is always read, so the server never blocks on it; the end of it is kept. Ending follows the specification
 * (MCP 2025-11-25, lifecycle, shutdown): close its stdin, then SIGTERM, then SIGKILL. Each signal goes to the whole
 * group.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { endsWithin } from '@baton/primitives';

import type { ProcessExit } from '../session/link.ts';

export interface Launch {
  /** Program and arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How long it has to go by itself, and after being asked. */
export interface StopTimeLimits {
  readonly eofMs: number;
  readonly termMs: number;
}

/** More than is shown: a secret that the beginning of it cuts in two is not known again. */
const stderrBytes = 32_768;
/** After SIGKILL only zombies remain, which some containers never reap. */
const killMs = 200;
/** How long a pipe may bring nothing before it is given up. */
const drainMs = 500;
const pollMs = 10;

export class ServerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #patience: StopTimeLimits;
  readonly #exited: Promise<void>;
  /** The process has ended and its pipes are closed. */
  readonly closed: Promise<void>;
  #exit: ProcessExit | undefined;
  #stderr: Buffer = Buffer.alloc(0);
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcessWithoutNullStreams, patience: StopTimeLimits) {
    this.#child = child;
    this.#patience = patience;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        resolve();
        // Its children have no reader any more, and may hold the pipes open.
        this.#ending ??= this.#endGroup();
      });
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve());
    });
    // Either a write to an ended process, for which `exit` says more, or a signal that could not be sent, which is
    // harmless.
    for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-stderrBytes)]).subarray(-stderrBytes);
    });
  }

  /** Rejects with the error of the system where the program cannot be started. */
  static async start({ argv: [file, ...args], env, cwd }: Launch, patience: StopTimeLimits): Promise<ServerProcess> {
    const child = spawn(file, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'], shell: false, detached: true });
    const started = new ServerProcess(child, patience);
    await once(child, 'spawn');
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): ChildProcessWithoutNullStreams['stdin'] {
    return this.#child.stdin;
  }

  get stdout(): Socket {
    return this.#child.stdout as Socket;
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  /** As it came. */
  stderrTail(): string {
    return this.#stderr.toString('utf8');
  }

  /** Resolves when no process of the group is left, or none can be ended. */
  async stop(): Promise<void> {
    if (this.#exit === undefined) {
      this.#child.stdin.end();
      await endsWithin(this.#exited, this.#patience.eofMs);
      this.#child.stdin.destroy();
    }
    this.#ending ??= this.#endGroup();
    await this.#ending;
  }

  async #endGroup(): Promise<void> {
    if (this.#signal('SIGTERM')) await this.#groupGone(this.#patience.termMs);
    if (this.#signal('SIGKILL')) await this.#groupGone(killMs);
    // What was written before the end is read to its end. But a descendant that left the group may hold the other ends.
    for (let read = -1; read !== this.stdout.bytesRead;) {
      read = this.stdout.bytesRead;
      if (await endsWithin(this.closed, drainMs)) return;
    }
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    await this.closed;
  }

  async #groupGone(ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    while (this.#signal(0) && performance.now() < deadline) await sleep(pollMs);
  }

  /** False where the group has no members. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#child.pid !== undefined && process.kill(-this.#child.pid, signal);
    } catch {
      return false;
    }
  }
}

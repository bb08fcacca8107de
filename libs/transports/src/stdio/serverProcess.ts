/**
 * A server as a process: started without a shell, in its own process group, and ended with everything that it started.
 *
 * Its stderr is always read, so the server never blocks on it; the last part is kept. Ending follows the specification
 * (MCP 2025-11-25, lifecycle, shutdown): close its stdin, then SIGTERM, then SIGKILL. Each signal goes to the whole
 * group.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { endsWithin } from '@baton/primitives';

import type { ProcessExit } from '../link/link.ts';

export interface ServerCommand {
  /** Program and arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How long the process may take to end after stdin is closed, and after SIGTERM. */
export interface StopTimeLimits {
  readonly eofMs: number;
  readonly termMs: number;
}

/** More than is shown: the redactor would not recognise a secret that is cut at the beginning. */
const stderrBytes = 32_768;
/** After SIGKILL only zombies remain, which some containers never reap. */
const killMs = 200;
/** How long to wait for more output of a pipe after the process ended. */
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
        // Children of the process may hold the pipes open.
        this.#ending ??= this.#endGroup();
      });
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve());
    });
    // Either a write to an ended process, which `exit` reports, or a signal that could not be sent, which is harmless.
    for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-stderrBytes)]).subarray(-stderrBytes);
    });
  }

  /** Rejects with the system's error if the program cannot be started. */
  static async start(
    { argv: [file, ...args], env, cwd }: ServerCommand,
    patience: StopTimeLimits,
  ): Promise<ServerProcess> {
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

  /** The last part of stderr, not redacted. */
  stderrTail(): string {
    return this.#stderr.toString('utf8');
  }

  /** Resolves when the process group has no members, or the rest cannot be ended. */
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
    // Reads all output written before the end. Limited, because a descendant that left the group may hold the pipes open.
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

  /** False if the group has no members. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#child.pid !== undefined && process.kill(-this.#child.pid, signal);
    } catch {
      return false;
    }
  }
}

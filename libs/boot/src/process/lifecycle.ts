/**
 * How a process ends. When it is asked to (SIGTERM, SIGINT, SIGHUP, or its supervisor is gone), it stops its parts in
 * the reverse order of their start, within a grace period. When it is asked twice, or out of time, it ends at once (see
 * `endProcess`). An uncaught error does the same: other processes take over its work.
 */
import { unawaited, withoutRepeats } from '@baton/primitives';

import { exitCodes, isOfPostgres, StartError, startErrorOf } from '../failure/startError.ts';
import { SettingsError } from '../settings/readSettings.ts';
import type { Logger } from '../telemetry/logger.ts';
import { endProcess, stopCompiling } from './endProcess.ts';
import { sendToSupervisor } from './supervisor.ts';

type StopHandler = (graceMs: number) => Promise<void>;
type Parts = { readonly name: string; readonly stop: StopHandler }[];

/** Where one role of a process registers what it starts. */
export type LifecycleBranch = Pick<Lifecycle, 'onStop' | 'closing' | 'stopping'>;

export interface LifecycleOptions {
  readonly log: Logger;
  readonly graceMs: number;
}

/** By signal, as shells count. A process that was asked to stop, and did so in time, has done nothing wrong. */
const forcedExitCodes = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;
type StopSignal = keyof typeof forcedExitCodes;

export class Lifecycle {
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #parts: Parts = [];
  readonly #branches: Parts[] = [];
  readonly #stopping = new AbortController();
  #isReady = false;
  #ending: Promise<never> | undefined;
  #stoppedCompilingAt: number | undefined;

  /** Takes over the signals of this process. */
  constructor({ log, graceMs }: LifecycleOptions) {
    this.#log = log;
    this.#graceMs = graceMs;
    for (const signal of Object.keys(forcedExitCodes) as StopSignal[]) {
      const asked = (): void => this.#onAsked(signal, forcedExitCodes[signal]);
      process.on(
        signal,
        withoutRepeats(() => performance.now(), asked),
      );
    }
    process.on('uncaughtException', (error, origin) => this.#onBug(error, origin));
    // Only a process that was started by a supervisor has a channel to lose. One that stops already is asked twice.
    process.on('disconnect', () => this.#onOrphaned());
  }

  /** Aborted as soon as the process is asked to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The start is over. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Ends the process at once, without stopping anything. `message` is for operators. */
  fail(message: string): never {
    return this.#onBug(new StartError(message), 'fail');
  }

  /** Parts stop in the reverse order of their start. `stop` gets the time that is left. */
  onStop(name: string, stop: StopHandler): void {
    this.#parts.push({ name, stop });
  }

  /** The part itself, which is closed when its turn comes. */
  closing<Part extends { close(): Promise<void> }>(name: string, part: Part): Part {
    this.onStop(name, () => part.close());
    return part;
  }

  /**
   * For a role of the process. The branches stop at the same time, each its parts in the reverse order of their start:
   * all of them have the whole grace time. What they stand on, the parts of the lifecycle itself, stops after them.
   */
  branch(): LifecycleBranch {
    const parts: Parts = [];
    this.#branches.push(parts);
    const onStop: Lifecycle['onStop'] = (name, stop) => {
      parts.push({ name, stop });
    };
    const closing: Lifecycle['closing'] = (name, part) => {
      onStop(name, () => part.close());
      return part;
    };
    return { stopping: this.stopping, onStop, closing };
  }

  /** The start is over; `message` is for the supervisor. From now on every uncaught error is a bug. */
  ready(message: Readonly<Record<string, unknown>>): void {
    this.#isReady = true;
    sendToSupervisor({ ready: true, ...message });
  }

  /** Stops everything and ends the process. */
  end(reason: string, exitCode = 0): Promise<never> {
    this.#ending ??= this.#end(reason, exitCode);
    return this.#ending;
  }

  async #end(reason: string, exitCode: number): Promise<never> {
    this.#log.info({ reason }, 'stopping');
    this.#stopping.abort(new Error(reason));
    this.#stoppedCompilingAt = stopCompiling();
    const deadline = performance.now() + this.#graceMs;
    const timer = setTimeout(() => {
      this.#log.error({ graceMs: this.#graceMs }, 'stopping took too long');
      this.#exit(exitCodes.broken);
    }, this.#graceMs + overtimeMs);
    const branches = await Promise.all(this.#branches.map((parts) => this.#stopped(parts, deadline)));
    const haveAll = [...branches, await this.#stopped(this.#parts, deadline)].every(Boolean);
    const code = haveAll ? exitCode : exitCodes.broken;
    clearTimeout(timer);
    this.#log.info({ exitCode: code }, 'stopped');
    return this.#exit(code);
  }

  /** Whether every part stopped. */
  async #stopped(parts: Parts, deadline: number): Promise<boolean> {
    let haveAll = true;
    for (const { name, stop } of parts.toReversed()) {
      try {
        await stop(Math.max(0, deadline - performance.now()));
      } catch (error) {
        this.#log.error({ err: error, part: name }, 'a part of the process did not stop');
        haveAll = false;
      }
    }
    return haveAll;
  }

  #exit(exitCode: number): never {
    return endProcess(exitCode, this.#stoppedCompilingAt);
  }

  #onAsked(reason: string, forcedExitCode: number): void {
    if (this.#ending === undefined) unawaited(this.end(reason));
    else this.#exit(forcedExitCode);
  }

  /** The reader of our output is gone, and so is Postgres; the terminal belongs to the next start. */
  #onOrphaned(): void {
    this.#onAsked('the supervisor is gone', forcedExitCodes.SIGTERM);
    this.#log.level = 'silent';
  }

  #onBug(error: Error, origin: string): never {
    const told = isForOperator(error) ? error : (this.#startFault(error) ?? error);
    if (!isForOperator(told)) {
      this.#log.fatal({ err: told, origin }, 'unexpected error; the process ends');
      this.#exit(exitCodes.broken);
    }
    const exitCode = told instanceof StartError ? told.exitCode : exitCodes.misused;
    // The supervisor reports the failure to the operator; without one, the log does.
    if (process.connected) sendToSupervisor({ failed: told.message, exitCode });
    else if (told instanceof SettingsError) this.#log.fatal({ faults: told.faults }, 'the settings cannot be used');
    else this.#log.fatal(told.message);
    return this.#exit(exitCode);
  }

  /** Each request of a start may meet a fault of Postgres, not only the first connection. */
  #startFault(error: Error): StartError | undefined {
    return !this.#isReady && isOfPostgres(error) ? startErrorOf(error, 'Postgres', 'DATABASE_URL') : undefined;
  }
}

/** For parts that use the grace time, and close what they have at its end. */
const overtimeMs = 2_000;

const isForOperator = (error: Error): error is StartError | SettingsError =>
  error instanceof StartError || error instanceof SettingsError;

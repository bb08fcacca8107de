/** A Postgres of one's own, for tests that kill it, stop it, or have it say no. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type EmbeddedPostgres, type PostgresOptions, startPostgres, stopProcess } from '@baton/boot';
import { migrate } from '@baton/store';

import { quickFolder } from './quickFolder.ts';

export interface OwnPostgres {
  /** The same after each restart. */
  readonly url: string;
  readonly pid: () => number;
  /** SIGTERM: smart, no new sessions. SIGINT: fast, ends sessions. SIGQUIT: immediate, recovers at the next start. */
  signal(signal: NodeJS.Signals): void;
  /** Stops the server process and all of its sessions where they are (SIGSTOP); what it returns lets them go on. */
  freeze(): () => void;
  /** Resolves when the server process is gone. */
  gone(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
  /**
   * Starts it as a standby that takes no sessions: it says 57P03 to each, for as long as it runs. Resolves when it does.
   */
  startRecovering(): Promise<void>;
  /** Starts it as a standby that takes sessions which only read. Promote it with `pg_promote()`. */
  startStandby(): Promise<void>;
  /** It and all that it held. */
  remove(): Promise<void>;
}

const settings = { fsync: 'off', full_page_writes: 'off' } as const;

/** Migrated. Not durable against a machine that dies. */
export async function ownPostgres(more: PostgresOptions['settings'] = {}): Promise<OwnPostgres> {
  const folder = join(quickFolder(), `baton-own-${randomUUID()}`);
  const options = { folder, settings: { ...settings, ...more } };
  const first = await startPostgres(options);
  const { url, database } = first;
  await migrate(url);
  const standby = join(database, 'standby.signal');
  let server: Pick<EmbeddedPostgres, 'pid' | 'stop'> & { readonly lastLogLines: Promise<unknown> } = first;
  const startStandby = async (hotStandby: 'on' | 'off', isThere: string): Promise<void> => {
    await server.stop();
    await writeFile(standby, '');
    server = await startAsStandby(
      { ...options, settings: { ...options.settings, hot_standby: hotStandby } },
      database,
      isThere,
    );
  };
  const start = async (): Promise<void> => {
    await server.stop();
    await rm(standby, { force: true });
    const started = await startPostgres(options);
    if (started.url !== url) throw new Error('Postgres has started at another address');
    server = started;
  };
  return {
    url,
    pid: () => server.pid,
    signal: (signal) => void process.kill(server.pid, signal),
    freeze: () => freezeProcesses(server.pid),
    gone: async () => void (await server.lastLogLines),
    start,
    startRecovering: () => startStandby('off', 'entering standby mode'),
    startStandby: () => startStandby('on', 'ready to accept read-only connections'),
    async remove() {
      await server.stop();
      await rm(database, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Stops a process and its children where they are; what it returns lets them go on. */
export function freezeProcesses(parent: number): () => void {
  const pids = processesOf(parent);
  const signalAll = (signal: NodeJS.Signals): void => pids.forEach((pid) => signalTo(pid, signal));
  signalAll('SIGSTOP');
  return () => signalAll('SIGCONT');
}

/** A process and its children. Linux. */
export const processesOf = (pid: number): readonly number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
];

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A session that has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * It is never ready, and so never started as far as `startPostgres` knows. `isThere`: what the log says when it is as far as
 * it gets.
 */
async function startAsStandby(options: PostgresOptions, database: string, isThere: string) {
  const there = Promise.withResolvers<void>();
  const onLog = (line: string): void => {
    if (line.includes(isThere)) there.resolve();
  };
  const lastLogLines = startPostgres({ ...options, onLog }).catch(() => undefined);
  await there.promise;
  const pid = Number.parseInt(await readFile(join(database, 'postmaster.pid'), 'latin1'), 10);
  const stop = async (): Promise<void> => {
    await stopProcess(pid, [{ signal: 'SIGINT', waitMs: 10_000 }]);
    await lastLogLines;
  };
  return { pid, lastLogLines, stop };
}

/** Embedded Postgres: creates the database if there is none, starts and stops the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { exitCodes, StartError } from '../failure/startError.ts';
import { stopProcess } from '../orphans/processTable.ts';
import { freePort } from '../process/freePort.ts';
import { isCopiedFromRunning, stopLeftoverPostgres } from './leftoverPostgres.ts';
import { type PostgresPlace, postgresPlace, postgresRole, remember, urlOf } from './postgresPlace.ts';

export interface EmbeddedPostgres {
  readonly url: string;
  readonly pid: number;
  /** Where the database really is. */
  readonly database: string;
  /** Notes for people: what was put elsewhere, or that an earlier start had left a server behind. */
  readonly notes: readonly string[];
  /** Resolves when the server's first process ends: to the signal, or the exit code in words. */
  readonly exitReason: Promise<string>;
  /** Resolves later, when the output of the server ends: to the last lines that it logged. */
  readonly lastLogLines: Promise<string>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The data folder of this installation. Hold its lock before you start: see `lockFolder`. */
  readonly folder: string;
  /** Settings in addition to ours, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Each line that the server logs. */
  readonly onLog?: (line: string) => void;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  jit: 'off',
  log_checkpoints: 'off',
} as const;

const portTries = 5;

export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const place = await postgresPlace(options.folder);
  try {
    return await startAt(place, options);
  } catch (error) {
    place.release();
    throw error;
  }
}

async function startAt(place: PostgresPlace, options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { database, memory } = place;
  const notes = [...place.notes];
  if (await isCopiedFromRunning(database)) notes.push(copiedNote);
  if (await stopLeftoverPostgres(database)) notes.push('A Postgres that an earlier start left behind was stopped.');
  await makeDatabase(place);
  for (let tries = 1; ; tries += 1) {
    const port = tries === 1 ? (memory.port ?? (await freePort())) : await freePort();
    const server = await launch(place, port, options);
    if (server === undefined && tries < portTries) continue;
    if (server === undefined) {
      throw new StartError(`Postgres found no free port in ${portTries} tries.`, { exitCode: exitCodes.unavailable });
    }
    await remember(options.folder, { ...memory, port });
    const stop = async (): Promise<void> => {
      await server.stop();
      place.release();
    };
    return { ...server, url: urlOf(memory, port), database, notes, stop };
  }
}

const copiedNote =
  'This data folder was copied while its Baton ran: runs that were under way then go on in both, and calls under way are ' +
  'unknown here. See whether all of it is here: `baton audit verify`.';

/**
 * Runs `initdb` in a folder beside the final one: an `initdb` that is killed leaves nothing that looks like a database.
 */
async function makeDatabase({ binaries, user, database, memory }: PostgresPlace): Promise<void> {
  const version = await readFile(join(database, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const wanted = binaries.version.split('.')[0];
  if (version?.trim() === wanted) return;
  if (version !== undefined) {
    const hint = 'Bring it over with pg_upgrade, or move it away.';
    throw new StartError(
      `The database in ${database} was made by Postgres ${version.trim()}, and this is ${wanted}. ${hint}`,
    );
  }
  if (memory.port !== undefined) {
    throw new StartError(
      `The database ${database} is gone. Restore it; to begin with an empty one, remove postgres.json from the data folder.`,
    );
  }
  const unfinished = `${database}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const secrets = await mkdtemp(join(tmpdir(), 'baton-initdb-'));
  const passwordFile = join(secrets, 'password');
  try {
    await writeFile(passwordFile, memory.password, { mode: 0o600 });
    if (user !== undefined) {
      for (const path of [unfinished, secrets, passwordFile]) await chown(path, user.uid, user.gid);
    }
    const args = ['-D', unfinished, '-U', postgresRole, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
    await run(binaries.initdb, [...args, '--no-locale', '--encoding=UTF8', '--no-instructions'], user);
    await rename(unfinished, database);
  } finally {
    await rm(secrets, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Starts the process in a session of its own: Ctrl-C in a terminal reaches only Baton, which stops the database last.
 */
function start(command: string, args: readonly string[], user: PostgresPlace['user']): ChildProcess {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return spawn(command, args, { ...user, cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(command: string, args: readonly string[], user: PostgresPlace['user']): Promise<void> {
  const child = start(command, args, user);
  const logged: string[] = [];
  child.stdout?.resume();
  child.stderr?.on('data', (chunk: Buffer) => logged.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const said = logged.join('').slice(-2_000);
  throw new StartError(`initdb failed with exit code ${code}: ${said}`, { exitCode: exitCodes.unavailable });
}

/** Undefined where the port was taken. */
async function launch(
  { binaries, user, database }: PostgresPlace,
  port: number,
  options: PostgresOptions,
): Promise<Pick<EmbeddedPostgres, 'pid' | 'exitReason' | 'lastLogLines' | 'stop'> | undefined> {
  const flags = Object.entries({ ...settings, ...options.settings, port }).flatMap(([key, to]) => [
    '-c',
    `${key}=${to}`,
  ]);
  const child = start(binaries.postgres, ['-D', database, ...flags], user);
  const logged: string[] = [];
  const ready = Promise.withResolvers<'ready' | 'gone'>();
  child.stdout?.resume();
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      logged.push(line);
      if (logged.length > 20) logged.shift();
      if (line.includes('database system is ready to accept connections')) ready.resolve('ready');
      options.onLog?.(line);
    });
  }
  child.once('error', ready.reject);
  const exitReason = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const lastLogLines = once(child, 'close').then(() => {
    ready.resolve('gone');
    return logged.join('\n');
  });
  if ((await ready.promise) === 'gone' || child.pid === undefined) {
    if (/address already in use/i.test(await lastLogLines)) return undefined;
    const said = await lastLogLines;
    throw new StartError(`Postgres did not start in ${database}: ${said}`, { exitCode: exitCodes.unavailable });
  }
  const { pid } = child;
  // Asks the database to stop however this process ends, except when it is killed.
  const onExit = (): boolean => child.kill('SIGINT');
  process.once('exit', onExit);
  const stop = async (): Promise<void> => {
    process.removeListener('exit', onExit);
    if (child.exitCode === null && child.signalCode === null) {
      await stopProcess(pid, [
        { signal: 'SIGINT', waitMs: 10_000 },
        { signal: 'SIGQUIT', waitMs: 5_000 },
        { signal: 'SIGKILL', waitMs: 2_000 },
      ]);
    }
    await lastLogLines;
  };
  return { pid, exitReason, lastLogLines, stop };
}

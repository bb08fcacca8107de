/** Servers of Debian's packages on loopback, each in a folder of its own. What was started is stopped by `stopAll`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { freePort } from '@baton/boot';

import { pause } from '../pause.ts';

export const host = '127.0.0.1';
const places = ['/usr/lib/postgresql/15/bin', '/usr/sbin', '/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];

/** The path of a program; undefined: this machine does not have it. */
export function programPath(name: string): string | undefined {
  return places
    .map((place) => join(place, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

const idOf = (flag: '-u' | '-g', user: string): number =>
  Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));

/** Postgres and PgBouncer refuse to run as root. */
const asPostgres = () => (process.getuid?.() === 0 ? { uid: idOf('-u', 'postgres'), gid: idOf('-g', 'postgres') } : {});

export interface Started {
  readonly port: number;
  readonly folder: string;
  readonly child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export class Debian {
  readonly folder = mkdtempSync(join(tmpdir(), 'baton-operate-'));
  readonly #started: Started[] = [];

  constructor() {
    execFileSync('chmod', ['0755', this.folder]);
  }

  newFolder(name: string): string {
    const folder = join(this.folder, `${name}-${this.#started.length}-${Math.random().toString(36).slice(2, 8)}`);
    mkdirSync(folder, { mode: 0o700 });
    const { uid, gid } = asPostgres();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    return folder;
  }

  /** Resolves when the port answers. */
  async start(
    name: string,
    args: (place: { folder: string; port: number }) => readonly string[],
    at?: { folder: string; port: number },
  ): Promise<Started> {
    const path = programPath(name);
    if (path === undefined) throw new Error(`${name} is not on this machine`);
    const place = at ?? { folder: this.newFolder(name), port: await freePort() };
    const child = spawn(path, [...args(place)], {
      cwd: place.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
      ...asPostgres(),
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
    const gone = once(child, 'exit');
    const started: Started = {
      ...place,
      child,
      kill: async (signal = 'SIGKILL') => {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await gone;
      },
    };
    this.#started.push(started);
    while (!(await answers(place.port))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
      await pause(100);
    }
    return started;
  }

  write(folder: string, name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o644 });
    const { uid, gid } = asPostgres();
    // A sentinel writes into its own.
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    return path;
  }

  async stopAll(): Promise<void> {
    for (const one of this.#started.toReversed()) await one.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const patienceMs = 60_000;

/** Tries again until it does not throw. Rejects with its last error. */
export async function until<Result>(attempt: () => Promise<Result> | Result): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/** Runs a program of Postgres to its end. */
export function runPostgres(name: string, args: readonly string[]): void {
  execFileSync(programPath(name) ?? name, [...args], {
    cwd: '/',
    stdio: 'pipe',
    env: { LC_ALL: 'C' },
    ...asPostgres(),
  });
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

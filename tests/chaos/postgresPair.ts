/**
 * Two servers of Debian's Postgres, a primary and its standby, each on a small disk of its own. For
 * `npm run chaos` alone: mounting the disks needs root, and `npm test` relies on no Postgres of the machine.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '@baton/boot';
import { migrate } from '@baton/store';
import { type OwnPostgres, freezeProcesses, processesOf } from '@baton/testing';
import { Client } from 'pg';

import { pause } from '../pause.ts';

export interface PostgresPair extends Omit<OwnPostgres, 'startRecovering' | 'startStandby'> {
  /** Where the primary is now. */
  readonly address: { readonly host: string; readonly port: number };
  /** The machine of the primary is gone, and the standby takes its place. Resolves when it has a standby of its own. */
  failOver(onPromoted: () => void): Promise<void>;
  /** The standby gets nothing more of what the primary commits, until it takes its place. */
  fallBehind(): Promise<void>;
  /** Fills the disk of the primary; what it returns frees it, and starts Postgres where it did not survive that. */
  fillDisk(): () => Promise<void>;
}

const binaries = '/usr/lib/postgresql/15/bin';
const host = '127.0.0.1';
const diskSize = '384m';

export const canPairPostgres = (): boolean =>
  process.getuid?.() === 0 && existsSync(join(binaries, 'postgres')) && existsSync('/bin/mount');

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Programs of Postgres refuse to run as root. */
const asPostgres = () => ({ uid: idOf('-u'), gid: idOf('-g'), env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } });

const run = (program: string, args: readonly string[]): Promise<unknown> =>
  promisify(execFile)(join(binaries, program), args, { ...asPostgres(), cwd: '/' });

/** In two segments of the log less than half of the disk is left to it. */
const settings = ['max_wal_size=64MB', 'min_wal_size=32MB', 'max_connections=200', 'unix_socket_directories='];

class DebianServer {
  readonly port: number;
  readonly #disk: string;
  #gone: Promise<unknown> = Promise.resolve();
  #pid = 0;

  private constructor(disk: string, port: number) {
    this.#disk = disk;
    this.port = port;
  }

  static async create(folder: string, name: string): Promise<DebianServer> {
    const disk = join(folder, name);
    await mkdir(disk);
    const options = `size=${diskSize},mode=0700,uid=${idOf('-u')},gid=${idOf('-g')}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
    return new DebianServer(disk, await freePort());
  }

  get pid(): number {
    return this.#pid;
  }

  get gone(): Promise<unknown> {
    return this.#gone;
  }

  get isGone(): boolean {
    return !existsSync(`/proc/${this.#pid}`);
  }

  get #data(): string {
    return join(this.#disk, 'data');
  }

  url(database: string): string {
    return `postgresql://postgres@${host}:${this.port}/${database}`;
  }

  async initialize(): Promise<void> {
    await run('initdb', ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  }

  /** Resolves when it takes sessions. `more`: settings besides its own. */
  async start(...more: readonly string[]): Promise<void> {
    const args = [...settings, ...more].flatMap((setting) => ['-c', setting]);
    const server = spawn(join(binaries, 'postgres'), ['-D', this.#data, '-h', host, '-p', String(this.port), ...args], {
      ...asPostgres(),
      cwd: '/',
      stdio: 'ignore',
    });
    this.#pid = server.pid ?? 0;
    this.#gone = once(server, 'exit');
    while (!(await this.#takesSessions())) {
      if (server.exitCode !== null) throw new Error(`Postgres ended with ${server.exitCode} as it started`);
      await pause(100);
    }
  }

  async #takesSessions(): Promise<boolean> {
    return this.query('select 1').then(
      () => true,
      () => false,
    );
  }

  async query(sql: string, database = 'postgres'): Promise<void> {
    const client = new Client(this.url(database));
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async killAll(): Promise<void> {
    for (const pid of processesOf(this.#pid)) process.kill(pid, 'SIGKILL');
    await this.#gone;
  }

  async promote(): Promise<void> {
    await run('pg_ctl', ['promote', '-w', '-D', this.#data]);
  }

  /** Resolves when it receives nothing more from its primary. */
  async loseSight(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''");
    await this.query('select pg_reload_conf()');
    const isCutOff = 'select 1 / (select (count(*) = 0)::int from pg_stat_wal_receiver)';
    const ask = (): Promise<boolean> =>
      this.query(isCutOff).then(
        () => true,
        () => false,
      );
    while (!(await ask())) await pause(20);
  }

  /** Becomes the standby of `primary`, which from then on commits nothing that a synchronous one does not have. */
  async follow(primary: DebianServer, isSynchronous: boolean): Promise<void> {
    await rm(this.#data, { recursive: true, force: true });
    const from = ['-h', host, '-p', String(primary.port), '-U', 'postgres'];
    await run('pg_basebackup', ['-D', this.#data, ...from, '--write-recovery-conf', '--checkpoint=fast']);
    if (!isSynchronous) return this.start();
    // Once it is promoted, its commits wait for the next standby: else those until then would be asynchronous ones, and
    // the promotion after them would raise the fence.
    await this.start('synchronous_standby_names=*');
    await primary.query("alter system set synchronous_standby_names = '*'");
    await primary.query('select pg_reload_conf()');
  }

  /** Until there is not one byte left. */
  fillDisk(): void {
    const filler = openSync(this.#filler, 'w');
    try {
      for (let size = 1 << 20; size >= 1;) {
        try {
          writeSync(filler, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
    } finally {
      closeSync(filler);
    }
  }

  freeDisk(): void {
    rmSync(this.#filler);
  }

  get #filler(): string {
    return join(this.#disk, 'filler');
  }

  async remove(): Promise<void> {
    if (!this.isGone) await this.killAll();
    execFileSync('umount', ['--lazy', this.#disk]);
  }
}

/** Migrated. `isSynchronous`: the primary commits nothing that its standby does not have. */
export async function postgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-pair-'));
  execFileSync('chmod', ['0755', folder]);
  let [primary, standby] = [await DebianServer.create(folder, 'one'), await DebianServer.create(folder, 'two')];
  await primary.initialize();
  await primary.start();
  await primary.query('create database baton');
  await migrate(primary.url('baton'));
  await standby.follow(primary, isSynchronous);
  return {
    get url() {
      return primary.url('baton');
    },
    get address() {
      return { host, port: primary.port };
    },
    pid: () => primary.pid,
    signal: (signal) => void process.kill(primary.pid, signal),
    freeze: () => freezeProcesses(primary.pid),
    gone: async () => void (await primary.gone),
    start: () => primary.start(),
    async failOver(onPromoted) {
      await primary.killAll();
      await standby.promote();
      [primary, standby] = [standby, primary];
      onPromoted();
      await standby.follow(primary, isSynchronous);
    },
    fallBehind: () => standby.loseSight(),
    fillDisk() {
      primary.fillDisk();
      return async () => {
        primary.freeDisk();
        if (primary.isGone) await primary.start();
      };
    },
    async remove() {
      await Promise.all([primary.remove(), standby.remove()]);
      await rm(folder, { recursive: true });
    },
  };
}

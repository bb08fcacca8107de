import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { runScript, scriptModule } from '@baton/testing';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { startTimeOf } from '../orphans/processTable.ts';
import { runningPostgres } from './leftoverPostgres.ts';
import { binariesOf, copyBinaries, postgresBinaries } from './postgresBinaries.ts';
import { runningPostgres as runningAddress } from './runningPostgres.ts';
import { type EmbeddedPostgres, startPostgres } from './startPostgres.ts';

function newFolder(): string {
  const folder = join(tmpdir(), `baton-test-${randomUUID()}`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function started(folder: string): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ folder });
  onTestFinished(() => server.stop());
  return server;
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}

describe('embedded Postgres', () => {
  test('is made at the first start, and found again at the next one, at the same address', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await ask(first.url, 'create table kept (x int); insert into kept values (42)');
    await first.stop();
    expect(startTimeOf(first.pid)).toBeUndefined();
    const second = await started(folder);
    expect(second.url).toBe(first.url);
    await expect(ask(second.url, 'select x from kept')).resolves.toEqual([{ x: 42 }]);
    expect(second.notes).toEqual([]);
  });

  test('is durable, listens on loopback only, and asks for a password', async () => {
    const { url } = await started(newFolder());
    const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('listen_addresses') as addresses, current_setting('full_page_writes') as pages`;
    await expect(ask(url, settings)).resolves.toEqual([
      { fsync: 'on', commit: 'on', addresses: '127.0.0.1', pages: 'on' },
    ]);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('keeps its password where no other user can read it', async () => {
    const folder = newFolder();
    await started(folder);
    expect((await stat(join(folder, 'postgres.json'))).mode & 0o077).toBe(0);
  });

  test('takes another port where the one it had is taken', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await first.stop();
    const { port } = new URL(first.url);
    const squatter = createServer().listen(Number(port), '127.0.0.1');
    onTestFinished(() => void squatter.close());
    const second = await started(folder);
    expect(new URL(second.url).port).not.toBe(port);
    await ask(second.url, 'select 1');
  });

  test('Embedded Postgres that outlived its process is stopped at the next start, and not at that of a copy, and nothing is lost', async () => {
    const folder = newFolder();
    const script = runScript(`
      import { startPostgres } from '${scriptModule('startPostgres')}';
      const server = await startPostgres({ folder: '${folder}' });
      console.log('url ' + server.url);
      setInterval(() => {}, 1000);`);
    const url = await script.said('url ');
    await ask(url, 'create table kept (x int); insert into kept values (1)');
    script.child.kill('SIGKILL');
    await script.ended;
    const orphan = await runningPostgres(join(folder, 'postgres'));
    expect(orphan).toBeGreaterThan(0);
    const copy = newFolder();
    await promisify(execFile)('cp', ['-a', folder, copy]);
    await expect(ask((await started(copy)).url, 'select x from kept')).resolves.toEqual([{ x: 1 }]);
    expect(startTimeOf(orphan ?? 0)).toBeDefined();
    const again = await started(folder);
    expect(startTimeOf(orphan ?? 0)).toBeUndefined();
    expect(again.notes).toEqual(['A Postgres that an earlier start left behind was stopped.']);
    await expect(ask(again.url, 'select x from kept')).resolves.toEqual([{ x: 1 }]);
  });

  test('Embedded Postgres of a copied folder is its own, beside the running original; of a moved one it is where the folder is', async () => {
    const [folder, copy, moved] = [newFolder(), newFolder(), `${newFolder()} moved ü`];
    onTestFinished(() => rm(moved, { recursive: true, force: true }));
    const original = await started(folder);
    await ask(original.url, 'create table kept (x int); insert into kept values (1)');
    await promisify(execFile)('cp', ['-a', folder, copy]);
    await expect(runningAddress(copy)).resolves.toBeUndefined();
    const second = await started(copy);
    expect(second.notes).toEqual([expect.stringMatching(/^This data folder was copied while its Baton ran: /)]);
    await expect(runningAddress(copy)).resolves.toBe(second.url);
    await ask(second.url, 'insert into kept values (2)');
    await expect(ask(original.url, 'select x from kept')).resolves.toEqual([{ x: 1 }]);
    await expect(ask(second.url, 'select x from kept')).resolves.toEqual([{ x: 1 }, { x: 2 }]);
    await second.stop();
    // As a Baton before 2026-11-27 wrote it.
    const memory = join(copy, 'postgres.json');
    const written = JSON.parse(await readFile(memory, 'utf8')) as object;
    expect(written).toMatchObject({ database: 'postgres' });
    await writeFile(memory, JSON.stringify({ ...written, database: original.database }));
    await rename(copy, moved);
    const third = await started(moved);
    expect(third.database).toBe(join(moved, 'postgres'));
    await expect(ask(third.url, 'select x from kept')).resolves.toEqual([{ x: 1 }, { x: 2 }]);
    await expect(ask(original.url, 'select x from kept')).resolves.toEqual([{ x: 1 }]);
  });

  test('goes when its process ends without having stopped it', async () => {
    const folder = newFolder();
    const script = runScript(`
      import { startPostgres } from '${scriptModule('startPostgres')}';
      const server = await startPostgres({ folder: '${folder}' });
      console.log('pid ' + server.pid);
      throw new Error('a bug');`);
    const pid = Number(await script.said('pid '));
    await expect(script.ended).resolves.toBe(1);
    await expect.poll(() => startTimeOf(pid)).toBeUndefined();
  });

  test('was killed: its lock file names a number that another process has now, and that process is left alone', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await ask(first.url, 'create table kept (x int); insert into kept values (7)');
    process.kill(first.pid, 'SIGKILL');
    await first.lastLogLines;
    const lock = join(first.database, 'postmaster.pid');
    // Of the same user: what belongs to others Postgres knows not to be its own.
    const { uid, gid } = await stat(first.database);
    const bystander = spawn('sleep', ['1000'], { uid, gid, cwd: '/', stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    await writeFile(lock, (await readFile(lock, 'utf8')).replace(/^\d+/, String(bystander.pid)));
    await expect(runningPostgres(first.database)).resolves.toBeUndefined();
    const second = await started(folder);
    await expect(ask(second.url, 'select x from kept')).resolves.toEqual([{ x: 7 }]);
    expect(startTimeOf(bystander.pid ?? 0)).toBeDefined();
  });

  test('was killed: its lock file names a zombie, whose parent has not waited for it', async () => {
    const folder = newFolder();
    const first = await started(folder);
    process.kill(first.pid, 'SIGKILL');
    await first.lastLogLines;
    const lock = join(first.database, 'postmaster.pid');
    const { uid, gid } = await stat(first.database);
    // The child ends only once its parent is `sleep`: a shell would ask how it ended.
    const careless = spawn('sh', ['-c', 'exec 3<&0; cat <&3 >&2 & echo $!; exec sleep 1000'], { uid, gid, cwd: '/' });
    onTestFinished(() => void careless.kill('SIGKILL'));
    const [pid] = (await once(careless.stdout, 'data')) as [Buffer];
    await expect.poll(() => readFile(`/proc/${careless.pid}/comm`, 'utf8')).toBe('sleep\n');
    careless.stdin.end();
    await expect.poll(() => startTimeOf(Number(pid))).toBeUndefined();
    process.kill(Number(pid), 0);
    await writeFile(lock, (await readFile(lock, 'utf8')).replace(/^\d+/, pid.toString().trim()));
    await started(folder);
  });

  test('A start names an embedded Postgres that is gone, and makes one anew whose making was interrupted', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await first.stop();
    await rm(first.database, { recursive: true });
    await expect(startPostgres({ folder })).rejects.toThrow(`The database ${first.database} is gone. Restore it`);
    const memory = join(folder, 'postgres.json');
    const { port: _, ...before } = JSON.parse(await readFile(memory, 'utf8')) as Record<string, unknown>;
    await writeFile(memory, JSON.stringify(before));
    await mkdir(`${first.database}.unfinished/base`, { recursive: true });
    const second = await started(folder);
    await expect(ask(second.url, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  test('of another major version is not touched', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await first.stop();
    await writeFile(join(first.database, 'PG_VERSION'), '15\n');
    await expect(startPostgres({ folder })).rejects.toThrow('was made by Postgres 15');
  });

  test('is kept elsewhere where its user cannot reach the folder, and says so', async () => {
    const outer = newFolder();
    await mkdir(outer, { mode: 0o700 });
    await chmod(outer, 0o700);
    const folder = join(outer, 'data');
    const server = await started(folder);
    const isRoot = process.getuid?.() === 0;
    onTestFinished(async () => {
      if (!isRoot) return;
      for (const end of ['', '.lock', '.folder']) await rm(`${server.database}${end}`, { recursive: true });
      await rmdir(dirname(server.database)).catch(() => undefined);
    });
    expect(server.database.startsWith(outer)).toBe(!isRoot);
    expect(server.notes.join()).toMatch(isRoot ? /cannot reach .*is kept in / : /^$/);
    await ask(server.url, 'create table kept (x int)');
    await server.stop();
    const again = await started(folder);
    await ask(again.url, 'select * from kept');
  });

  test('A start names a folder of Postgres that its user cannot reach, and says what to do', async () => {
    const folder = newFolder();
    await (await started(folder)).stop();
    const outer = newFolder();
    await mkdir(outer, { mode: 0o700 });
    await rename(folder, join(outer, 'data'));
    const outcome = await startPostgres({ folder: join(outer, 'data') }).then(
      (server) => server.stop().then(() => 'it started'),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(process.getuid?.() === 0 ? 'Move the data folder to where it can' : 'it started');
  });

  test('is copied where another user installed it, and its libraries lack their short names', async () => {
    const installed = newFolder();
    const { postgres } = await postgresBinaries();
    const native = dirname(dirname(postgres));
    const isLink = async (path: string): Promise<boolean> => (await lstat(path)).isSymbolicLink();
    const withoutLinks = { recursive: true, filter: async (path: string) => !(await isLink(path)) };
    await cp(native, join(installed, 'native'), withoutLinks);
    await cp(join(native, '..', 'package.json'), join(installed, 'package.json'));
    const found = await asAnotherUser(join(installed, 'native', 'lib'), () => binariesOf(installed));
    expect(found.isComplete).toBe(false);
    await expect(promisify(execFile)(found.initdb, ['--version'])).rejects.toThrow('shared libraries');
    const copy = await copyBinaries(found, newFolder());
    expect(copy.isComplete).toBe(true);
    expect((await promisify(execFile)(copy.initdb, ['--version'])).stdout).toContain('initdb (PostgreSQL)');
  });
});

/** The system user without rights. */
const nobodyUserId = 65_534;

/** Does the work as a user who may not write to the folder. */
async function asAnotherUser<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const { geteuid, seteuid } = process;
  const isRoot = geteuid?.() === 0;
  if (isRoot) seteuid?.(nobodyUserId);
  else await chmod(folder, 0o555);
  try {
    return await work();
  } finally {
    if (isRoot) seteuid?.(0);
    else await chmod(folder, 0o755);
  }
}

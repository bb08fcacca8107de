/** Postgres refuses to run as root. Where we are root, it runs as the system user `postgres`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { StartError } from '../failure/startError.ts';

const run = promisify(execFile);

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Undefined where we are not root, and Postgres can run as we do. */
export async function postgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return (await find()) ?? (await create());
}

async function find(): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout),
    );
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

async function create(): Promise<SystemUser> {
  const failures: unknown[] = [];
  for (const [command, ...args] of [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'],
    ['adduser', '-S', '-D', '-H', 'postgres'],
  ] as const) {
    await run(command, args).catch((error: unknown) => failures.push(error));
    const user = await find();
    if (user !== undefined) return user;
  }
  const hint = 'Create a system user "postgres", start Baton as another user, or set DATABASE_URL.';
  throw new StartError(`Postgres does not run as root, and no user could be made for it. ${hint}`, {
    cause: new AggregateError(failures),
  });
}

/** Tests whether that user can reach the file or folder, by trying it: modes alone do not tell. */
export async function canReach(user: SystemUser | undefined, path: string): Promise<boolean> {
  if (user === undefined) return true;
  return run('test', ['-x', path], { ...user, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

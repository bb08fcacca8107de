/** Debian's Postgres: a primary, a standby that follows it, and PgBouncer before it. */
import { Client } from 'pg';

import { type Debian, type Started, host, runPostgres, until } from './debian.ts';

export interface Postgres extends Started {
  url(database?: string, role?: string): string;
  query(sql: string, database?: string): Promise<unknown[]>;
  promote(): Promise<void>;
}

const settings = ['unix_socket_directories=.', 'max_connections=200', 'fsync=off', 'wal_level=replica'];

export async function startPostgres(debian: Debian, folder = debian.newFolder('postgres')): Promise<Postgres> {
  const data = `${folder}/data`;
  runPostgres('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  return serve(debian, data);
}

/** A copy of the primary, which follows it. */
export async function startStandby(debian: Debian, primary: Postgres): Promise<Postgres> {
  const data = `${debian.newFolder('standby')}/data`;
  const from = ['-h', host, '-p', String(primary.port), '-U', 'postgres'];
  runPostgres('pg_basebackup', ['-D', data, ...from, '--write-recovery-conf', '--checkpoint=fast']);
  const standby = await serve(debian, data);
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  return standby;
}

async function serve(debian: Debian, data: string): Promise<Postgres> {
  const started = await debian.start('postgres', ({ port }) => [
    '-D',
    data,
    '-h',
    host,
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const url = (database = 'postgres', role = 'postgres'): string =>
    `postgresql://${role}:x@${host}:${started.port}/${database}`;
  const query = async (sql: string, database = 'postgres'): Promise<unknown[]> => {
    const client = new Client(url(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await until(() => query('select 1'));
  return {
    ...started,
    folder: data,
    url,
    query,
    promote: async () => runPostgres('pg_ctl', ['promote', '-w', '-D', data]),
  };
}

export interface Pooler {
  /** Without a database. */
  readonly address: string;
  stop(): Promise<void>;
  startAgain(): Promise<void>;
}

/** `mode`: of its pools. It signs every client in. */
export async function startPooler(debian: Debian, postgres: Postgres, mode: string, poolSize = 100): Promise<Pooler> {
  const folder = debian.newFolder('pgbouncer');
  const users = debian.write(folder, 'users.txt', '"postgres" "x"\n');
  const ofPort = (port: number): string => `[databases]
* = user=postgres host=${host} port=${postgres.port}
[pgbouncer]
listen_addr = ${host}
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 200
`;
  const start = (at?: Started): Promise<Started> =>
    debian.start('pgbouncer', ({ port }) => [debian.write(folder, 'pgbouncer.ini', ofPort(port))], at);
  let started = await start();
  return {
    address: `postgresql://postgres:x@${host}:${started.port}`,
    stop: () => started.kill('SIGKILL'),
    startAgain: async () => {
      started = await start(started);
    },
  };
}

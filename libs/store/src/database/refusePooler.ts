import type { Client } from 'pg';

import { UnusableDatabaseError } from './checkDatabase.ts';

/**
 * Throws where a pooler gives each transaction of a connection whichever session is free: locks, settings and prepared
 * statements of one process would be those of others. `connect` opens another connection.
 */
export async function refusePooler(client: Client, connect: () => Promise<Client>): Promise<void> {
  const session = await sessionOf(client);
  // A pooler makes up what it tells a connection of its session, since a connection may outlive it.
  const told: unknown = 'processID' in client ? client.processID : session;
  if (told === session) return;
  const other = await connect();
  try {
    // It takes the session that the first connection has left, if it has left it.
    await other.query('begin');
    if ((await sessionOf(client)) === session) return;
  } finally {
    await other.end();
  }
  throw new UnusableDatabaseError(
    '0A000',
    'a pooler before it gives each transaction of a connection another session, and Baton needs one session for each connection',
  );
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres, type EmbeddedPostgres, type PostgresOptions } from './startPostgres.ts';

/** A Postgres whose data is removed when it stops. Durable while it runs, unless `settings` say otherwise. */
export async function temporaryPostgres(settings: PostgresOptions['settings'] = {}): Promise<EmbeddedPostgres> {
  const folder = join(tmpdir(), `baton-postgres-${randomUUID()}`);
  const server = await startPostgres({ folder, settings });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(server.database, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

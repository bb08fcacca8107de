/** `baton migrate`: makes what a version stores in, as a role that may, so that Baton runs as one that may not. */
import { startErrorOf } from '@baton/boot';
import { migrateQueue } from '@baton/queue';
import { grantRuntime, migrate, QueueClient, readDatabaseAddress } from '@baton/store';

import { given } from '../client/address.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodeOfStart, exitCodes } from '../exitCodes.ts';
import { plural } from '../output/text.ts';
import { openDatabase } from './openDatabase.ts';

export interface MigrateOptions {
  readonly data?: string | undefined;
  /** The role that will run Baton. */
  readonly role?: string | undefined;
}

/** Rejects with `CommandError`. */
export async function migrateDatabase(context: Context, { data, role }: MigrateOptions): Promise<void> {
  const { env, stderr } = context;
  const place = await openDatabase(context, data, 'may run');
  try {
    const { schema, queueSchema } = readDatabaseAddress(place.url);
    const made = await migrate(place.url, { onWait: (message) => stderr.line(message) });
    const isQueueHere = given(env['REDIS_URL']) === undefined;
    if (isQueueHere) await migrateQueue({ url: place.url, schema: queueSchema, Client: QueueClient }, 15_000);
    if (role !== undefined) await grantRuntime(place.url, role, [schema, queueSchema]);
    const done = made.length === 0 ? 'had every migration' : `got ${plural(made.length, 'migration')}`;
    const queue = isQueueHere ? `, and the queue is in "${queueSchema}"` : '';
    stderr.line(`${stderr.paint.green('✓')} The schema "${schema}" ${done}${queue}.`);
    if (role !== undefined) stderr.line(`The role "${role}" may run Baton on it.`);
  } catch (error) {
    throw told(error);
  } finally {
    await place.close();
  }
}

function told(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  const fault = startErrorOf(error, 'Postgres', 'DATABASE_URL');
  if (fault !== undefined) return new CommandError(exitCodeOfStart(fault), fault.message, { cause: error });
  const { code } = error as { readonly code?: string };
  if (code !== '42704') return error;
  return new CommandError(exitCodes.usage, `There is no such role: ${(error as Error).message}`, { cause: error });
}

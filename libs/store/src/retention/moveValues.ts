/**
 * Moves large values out of the database, a while after they were written: a run's commit never waits for another system,
 * and a value is in the database until it is safe elsewhere.
 */
import { hash, randomBytes } from 'node:crypto';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { type ValuePlace, ValuesUnavailableError } from '../values/valuePlace.ts';

interface StayingValue {
  readonly sha256: Buffer;
  readonly text: Buffer;
}

/** For two objects of the largest size, an answer each. */
const idleMs = 30_000;

const nextSql = `select sha256, text from blob where place is null and created_at < to_timestamp($1 / 1000.0)
  order by created_at limit 1 for no key update skip locked`;

/** Whether there was one to move. Several processes move different ones. Rejects with `UnavailableError`. */
export async function moveValue(database: Pick<Database, 'pool'>, place: ValuePlace, before: number): Promise<boolean> {
  return inTransaction(
    database.pool,
    async (client) => {
      const [value] = await queryRows<StayingValue>(client, nextSql, [before]);
      if (value === undefined) return false;
      const { sha256, text } = value;
      const key = `${sha256.toString('hex')}-${randomBytes(4).toString('hex')}`;
      try {
        await place.put(key, text);
        // What a proxy, a full disk or another program made of it does not take the value's place.
        const kept = await place.get(key);
        if (kept === undefined || hash('sha256', kept, 'hex') !== sha256.toString('hex'))
          throw new ValuesUnavailableError(`${place.name} does not hold what was written into it`);
      } catch (error) {
        // The next try has another key.
        await place.remove(key).catch(() => undefined);
        throw error;
      }
      // From here on the object stays, even where the commit seems to fail: its answer alone may be lost.
      await queryRows(client, `update blob set place = $2, text = '' where sha256 = $1`, [sha256, key]);
      return true;
    },
    idleMs,
  );
}

/** The key of a value that is elsewhere; undefined: there is none. Rejects with `UnavailableError`. */
export async function anyPlace({ pool }: Pick<Database, 'pool'>): Promise<string | undefined> {
  const [found] = await queryRows<{ place: string }>(
    pool,
    'select place from blob where place is not null limit 1',
    [],
  );
  return found?.place;
}

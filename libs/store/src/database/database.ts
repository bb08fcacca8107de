import type { Pool } from 'pg';

import type { ValuePlace } from '../values/valuePlace.ts';
import type { AuditKeys } from './auditKeys.ts';
import type { PinnedConnection } from './pinnedConnection.ts';
import type { Client } from './prismaClient.ts';

/** The first argument of every operation. */
export interface Database {
  /** For what a model of one table can say, and for transactions that contain it. */
  readonly prisma: Client;
  /** For statements written as SQL. */
  readonly pool: Pool;
  /** For what a session keeps from one transaction to the next: it may not be pooled. */
  readonly sessions: Pool;
  /** Only for heartbeats and the clock, so that no other statement holds them up. */
  readonly liveness: PinnedConnection;
  /** Where values are that were moved out of the database. */
  readonly values?: ValuePlace | undefined;
  readonly auditKeys: AuditKeys;
  /** The shared time, epoch milliseconds (decision 15). */
  readonly now: () => number;
}

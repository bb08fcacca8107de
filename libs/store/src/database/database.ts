import type { Pool } from 'pg';

import type { AuditKeys } from '../audit/auditKeys.ts';
import type { PinnedConnection } from './pinnedConnection.ts';
import type { Client } from './prismaClient.ts';

/** The first argument of every operation. */
export interface Database {
  readonly prisma: Client;
  /** For statements that Prisma cannot express or runs too slowly. */
  readonly pool: Pool;
  /** Only for heartbeats and the clock, so that no other statement holds them up. */
  readonly liveness: PinnedConnection;
  readonly auditKeys: AuditKeys;
  /** The shared time, epoch milliseconds (decision 15). */
  readonly now: () => number;
}

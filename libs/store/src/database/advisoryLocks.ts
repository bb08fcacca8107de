/** The numbers of Baton's advisory locks in its database. Prisma's engines lock another number. */
export const advisoryLocks = {
  /** Migrations are applied. */
  migrating: 4_400_001,
  /** An entry is written to the audit. */
  noting: 4_400_002,
  /** Runs are sealed. */
  sealing: 4_400_003,
  /** Old runs are removed. */
  removing: 4_400_004,
  /** A worker looks for runs of all callers. */
  lookingForNeglected: 4_400_005,
  /** Marks of the audit begin. */
  beginningMarks: 4_400_006,
  /** The removal of journals is handed to a role of its own. */
  guarding: 4_400_007,
  /** A session makes a code, a code begins a session, or a session ends with those that it made. */
  inheritingSessions: 4_400_008,
} as const;

export type AdvisoryLock = keyof typeof advisoryLocks;

/**
 * SQL for the number of a lock in this schema. In a schema other than the usual one it is another: installations that share
 * a database do not wait for each other.
 */
export const lockNumber = (lock: AdvisoryLock): string =>
  `case current_schema() when 'public' then ${advisoryLocks[lock]} else hashtextextended(current_schema(), ${advisoryLocks[lock]}) end`;

/** The statement that waits for the lock, which the end of the transaction gives back. */
export const takeLock = (lock: AdvisoryLock): string => `select pg_advisory_xact_lock(${lockNumber(lock)})`;

/** The statement that takes the lock if it is free; `held`: whether it was. */
export const tryLock = (lock: AdvisoryLock): string => `select pg_try_advisory_xact_lock(${lockNumber(lock)}) as held`;

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

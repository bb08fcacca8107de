/** Timing of the reconciler, beside `liveness` of libs/runner. */
export const timing = {
  /** The interval of passes, plus or minus a fifth, so that several orchestrators do not act at once. */
  everyMs: 1_000,
  /** How long a bell may be unanswered before its run counts as forgotten. */
  headStartMs: 2_000,
  /** Delays after a bell for the same run, longer each time. */
  patienceMs: { first: 2_000, most: 60_000 },
  /** The interval of thorough passes over everything that waits; other passes look at recent changes. */
  thoroughEveryMs: 60_000,
  /** Age at which rows of silent workers are deleted, and how often. */
  forgetMs: 3_600_000,
  forgetEveryMs: 300_000,
  /** Runs of one kind in one pass. */
  batch: 1_000,
} as const;

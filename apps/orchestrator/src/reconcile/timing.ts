/** When the reconciler looks, and for how long it lets things be. Beside `liveness` of libs/runner. */
export const timing = {
  /** Between two looks, give or take a fifth, so that several orchestrators do not look at once. */
  everyMs: 1_000,
  /** A bell gets so long to be answered before a run counts as forgotten. */
  headStartMs: 2_000,
  /** A run that was rung for is let be, longer each time. */
  patienceMs: { first: 2_000, most: 60_000 },
  /** What wants to look at everything that waits does so now and then, and otherwise at what happened since. */
  thoroughEveryMs: 60_000,
  sinceMs: 300_000,
  /** Rows of workers that have been silent for so long are dropped, looked for now and then. */
  forgetMs: 3_600_000,
  forgetEveryMs: 300_000,
  /** Runs of one kind that are looked after in one look. */
  batch: 1_000,
} as const;

/** Limits that the API document states. */
export const apiLimits = {
  /** The largest body of a request. */
  bodyBytes: 1024 * 1024,
  /** Event streams that one key may have open at a time on one orchestrator. */
  streamsOfKey: 50,
} as const;

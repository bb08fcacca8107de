/**
 * The times that decide whether a worker is alive. They must agree: a worker stops acting by its own clock (fence)
 * before another may take its runs over (silent).
 */
export const liveness = {
  /** A worker renews its heartbeat this often. */
  heartbeatMs: 1_000,
  /** Without a renewal for this long, by its own monotonic clock, it makes no further call. */
  fenceMs: 4_000,
  /** Without a heartbeat for this long, by the database's clock, its runs may be taken over. */
  silentMs: 6_000,
} as const;

/**
 * How it is known that a worker is alive. The three must agree: a worker stops acting on its own (fence) before anyone
 * takes its runs over (silent), whatever its clock says.
 */
export const liveness = {
  /** A worker renews its heartbeat this often. */
  heartbeatMs: 1_000,
  /** Without a renewal for this long, by its own monotonic clock, it makes no further call. */
  fenceMs: 4_000,
  /** Without a heartbeat for this long, by the database's clock, its runs may be taken over. */
  silentMs: 6_000,
} as const;

/** What docs/measurements.md calculates for a fleet, from its size and its tools. Per second, unless it says otherwise. */
export interface FleetSize {
  readonly workers: number;
  readonly orchestrators: number;
  /** Runs in flight in each worker. */
  readonly inFlight: number;
  /** Seconds that a call takes. */
  readonly toolSeconds: number;
}

export interface FleetModel {
  readonly steps: number;
  /** Of appends: at most one for each step that a worker ends, at least one for two. */
  readonly commits: number;
  readonly heartbeats: number;
  /** Of workers that have runs; an idle worker asks one question in two seconds. */
  readonly polls: number;
  /** Connections to Postgres, of workers. */
  readonly connections: number;
}

export function modelOf({ workers, inFlight, toolSeconds }: FleetSize): FleetModel {
  const steps = (workers * inFlight) / toolSeconds;
  return {
    steps,
    commits: steps,
    heartbeats: workers,
    polls: (workers * 4) / 2,
    connections: workers * 5,
  };
}

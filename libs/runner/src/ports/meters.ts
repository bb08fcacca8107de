/**
 * Meters of calls, shared by all processes: token buckets that hand out the time of each turn. Redis or Postgres keeps
 * them, and measures with its own clock; what is passed and returned are intervals, in milliseconds.
 */
export interface Meter {
  readonly name: string;
  /** A pause of this server delays the turns. */
  readonly server: string;
  /** Between two calls, in the long run. */
  readonly everyMs: number;
  /** Calls at once, after none for long. */
  readonly burst: number;
  /** A turn that is further away is not taken. Absent: any turn is. */
  readonly withinMs?: number | undefined;
}

export interface MeterTurn {
  readonly waitMs: number;
  readonly isTaken: boolean;
}

/** Each rejects with `UnavailableError`. */
export interface Meters {
  /** Takes the next turn. It is never given back: an unused turn passes. */
  take(meter: Meter): Promise<MeterTurn>;
  /** Lets no turn come before `forMs` from now. A longer pause stays. */
  pause(server: string, forMs: number): Promise<void>;
  /** Milliseconds that are left, by server. */
  pauses(): Promise<ReadonlyMap<string, number>>;
}

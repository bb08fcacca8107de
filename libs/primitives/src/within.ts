interface Timers {
  /** Calls back once after `ms`, unless the returned function is called first. */
  after(ms: number, onTime: () => void): () => void;
}

interface WithinOptions<Late> {
  /** What comes in place of a result that is late. Absent: an `Error`. */
  readonly onLate?: () => Late;
  /** Stops the waiting. */
  readonly signal?: AbortSignal;
  /** Absent: the timers of the platform. */
  readonly clock?: Timers;
}

/** The longest time that a timer can be set to, in milliseconds; a longer one would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

const platform: Timers = {
  after(ms, onTime) {
    const timer = setTimeout(onTime, Math.min(ms, timerMaxMs));
    return () => clearTimeout(timer);
  },
};

/**
 * Waits for `promise`, but not longer than `ms`; a later result or rejection is ignored. Rejects with the reason of the
 * signal, or with what `onLate` throws.
 */
export async function within<T, Late = never>(
  promise: Promise<T>,
  ms: number,
  { onLate = late(ms), signal, clock = platform }: WithinOptions<Late> = {},
): Promise<T | Late> {
  const stop = Promise.withResolvers<Late>();
  const cancel = clock.after(ms, () => stop.resolve(new Promise((resolve) => resolve(onLate()))));
  const onAbort = (): void => stop.reject(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([stop.promise, promise]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

const late = (ms: number) => (): never => {
  throw new Error(`no answer within ${ms} ms`);
};

/** As `within`, for promises whose failure may be ignored: true where it ended well and in time. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = promise.then(
    () => true,
    () => false,
  );
  return within(ended, ms, { onLate: () => false });
}

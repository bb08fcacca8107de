/** Waits for `promise`, but not longer than `ms`. A later result or rejection is ignored. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** As `within`, for promises whose failure may be ignored: true where it ended in time. */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  try {
    await within(ms, promise);
    return true;
  } catch {
    return false;
  }
}

/**
 * Goes on without waiting for work that takes care of every failure it can have: a rejection is a bug. Thrown where nothing
 * catches it, a bug ends a process.
 */
export function unawaited(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    queueMicrotask(() => {
      throw error;
    });
  });
}

/**
 * Work that nothing waits for. A promise that is dropped ends its process when it rejects: one row that was damaged took
 * an orchestrator down, because a check rejected with more than it said.
 */

/**
 * `onError`: for every way in which the work may fail. Absent: it never rejects; if it does, that is a bug, and ends the
 * process as any other bug does.
 */
export function background(work: Promise<unknown>, onError: (error: Error) => void = endProcess): void {
  work.catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
}

function endProcess(error: Error): never {
  throw error;
}

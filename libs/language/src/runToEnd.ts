/** Runs a generator of work to its end, and returns its result. */
export function runToEnd<T>(work: Iterator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

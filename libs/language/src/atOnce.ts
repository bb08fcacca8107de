/** Does work that comes in pieces all at once. */
export function atOnce<T>(work: Iterator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

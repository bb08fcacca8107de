/** Work that comes in pieces, for whoever has the time for all of it. */
export function atOnce<T>(work: Iterator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

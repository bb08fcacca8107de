/** Work on long texts in slices, so that a worker's heartbeat and its other calls come in between. */

/** A piece of work that ends a slice with each `yield`. */
export type Slices<T> = Generator<void, T>;

/** Units of a text that are worked on in a slice: some milliseconds, whichever characters they are. */
export const unitsPerSlice = 1 << 17;

/** All slices at once. */
export function runToEnd<T>(work: Slices<T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** A signal that comes again within this time belongs to the same Ctrl-C. */
const repeatMs = 1_000;

/**
 * For a handler of signals: calls `listener` once for each Ctrl-C. npm and npx make two signals of one: the terminal sends
 * it to them and to the program that they run, and they pass theirs on to the program. `now`: milliseconds that never go
 * back.
 */
export function withoutRepeats(now: () => number, listener: () => void): () => void {
  let heardAt = -Infinity;
  return () => {
    if (now() - heardAt < repeatMs) return;
    heardAt = now();
    listener();
  };
}

/**
 * Delays log lines of processes briefly. When Postgres ends, errors of broken connections come before the news of its
 * end: the delay allows to drop them.
 */
const holdMs = 500;

export class HeldLines {
  readonly #write: (line: string) => void;
  readonly #held = new Map<NodeJS.Timeout, string>();
  #isDropping = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    if (this.#isDropping) return;
    const timer = setTimeout(() => {
      this.#held.delete(timer);
      this.#write(line);
    }, holdMs);
    this.#held.set(timer, line);
  }

  /** Writes the delayed lines at once, because the process ends. */
  flush(): void {
    for (const line of this.#take()) this.#write(line);
  }

  /** Drops the delayed lines, and all later ones. */
  drop(): void {
    this.#isDropping = true;
    this.#take();
  }

  #take(): readonly string[] {
    const lines = [...this.#held.values()];
    for (const timer of this.#held.keys()) clearTimeout(timer);
    this.#held.clear();
    return lines;
  }
}

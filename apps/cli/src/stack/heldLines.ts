/**
 * Lines of processes, passed on a moment after they come. Connections break before it is known that Postgres has ended:
 * what follows from that is dropped before a person reads it.
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

  /** Writes what is held, at once: the process ends. */
  flush(): void {
    for (const line of this.#take()) this.#write(line);
  }

  /** These lines, and all that come after. */
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

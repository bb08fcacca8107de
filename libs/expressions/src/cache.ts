/** Keeps the most recently used values, and makes missing ones. */
export class CompileCache<Key, Value> {
  readonly #max: number;
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known ?? make();
    // A map keeps the order of insertion: the first is the least recently used.
    if (known !== undefined) this.#entries.delete(key);
    else if (this.#entries.size >= this.#max) this.#forgetOldest();
    this.#entries.set(key, value);
    return value;
  }

  forget(key: Key): void {
    this.#entries.delete(key);
  }

  #forgetOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}

/** A map of bounded size: `set` makes its entry the newest, and drops the oldest where there are more than `max`. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.#max && oldest.done !== true) this.delete(oldest.value);
    return this;
  }
}

/** Loads a value once. Keeps the `max` values that were asked for last; one that could not be loaded is loaded anew. */
export function cachedLoads<Value>(
  max: number,
  load: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const kept = new NewestMap<string, Promise<Value>>(max);
  return (key) => {
    const value = kept.get(key) ?? load(key);
    kept.set(key, value);
    value.catch(() => kept.delete(key));
    return value;
  };
}

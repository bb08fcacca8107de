/**
 * An immutable map on top of another. Each step of a list sees those before it: copying a map for each of them takes time
 * quadratic in their number, a layer takes none.
 */
export class LayeredMap<Value> implements ReadonlyMap<string, Value> {
  readonly #below: ReadonlyMap<string, Value>;
  readonly #own: ReadonlyMap<string, Value>;

  constructor(below: ReadonlyMap<string, Value>, own: ReadonlyMap<string, Value>) {
    this.#below = below;
    this.#own = own;
  }

  get size(): number {
    return this.#flat().size;
  }

  get(key: string): Value | undefined {
    return this.#own.has(key) ? this.#own.get(key) : this.#below.get(key);
  }

  has(key: string): boolean {
    return this.#own.has(key) || this.#below.has(key);
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }

  keys(): MapIterator<string> {
    return this.#flat().keys();
  }

  values(): MapIterator<Value> {
    return this.#flat().values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#flat().entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  /** In the order in which the keys were first added. */
  #flat(): Map<string, Value> {
    const flat = new Map<string, Value>();
    this.#putInto(flat);
    return flat;
  }

  #putInto(flat: Map<string, Value>): void {
    if (this.#below instanceof LayeredMap) (this.#below as LayeredMap<Value>).#putInto(flat);
    else for (const [key, value] of this.#below) flat.set(key, value);
    for (const [key, value] of this.#own) flat.set(key, value);
  }
}

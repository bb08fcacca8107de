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
    let at: ReadonlyMap<string, Value> = this;
    while (at instanceof LayeredMap) {
      if (at.#own.has(key)) return at.#own.get(key) as Value;
      at = at.#below as ReadonlyMap<string, Value>;
    }
    return at.get(key);
  }

  has(key: string): boolean {
    return this.#flat().has(key);
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
    const layers: ReadonlyMap<string, Value>[] = [];
    let at: ReadonlyMap<string, Value> = this;
    for (; at instanceof LayeredMap; at = at.#below as ReadonlyMap<string, Value>)
      layers.push(at.#own as ReadonlyMap<string, Value>);
    const flat = new Map(at);
    for (const layer of layers.toReversed()) for (const [key, value] of layer) flat.set(key, value);
    return flat;
  }
}

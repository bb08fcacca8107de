/**
 * The steps of a frame by key: an immutable map in which changing one entry is cheap.
 *
 * Copying a `Map` of four hundred steps for each event would make long runs slow. Here the states are in an array, which
 * is copied as one block of memory, and all versions of one frame share the index of keys. That index only grows; a
 * version copies it where another version has already extended it.
 */
export class StepMap<State> implements ReadonlyMap<string, State> {
  readonly index: Map<string, number>;
  readonly states: readonly State[];

  private constructor(index: Map<string, number>, states: readonly State[]) {
    this.index = index;
    this.states = states;
  }

  static empty<State>(): StepMap<State> {
    return new StepMap(new Map(), []);
  }

  get size(): number {
    return this.states.length;
  }

  get(key: string): State | undefined {
    const at = this.index.get(key);
    return at === undefined ? undefined : this.states[at];
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** This map, with `state` at `key`. */
  with(key: string, state: State): StepMap<State> {
    const at = this.index.get(key);
    if (at !== undefined && at < this.states.length) return new StepMap(this.index, this.states.with(at, state));
    const isOurs = this.index.size === this.states.length;
    const index = isOurs && this.index.size > 0 ? this.index : new Map([...this.index].slice(0, this.states.length));
    index.set(key, this.states.length);
    return new StepMap(index, [...this.states, state]);
  }

  /** The same keys, with each state replaced by `change`. */
  map(change: (state: State) => State): StepMap<State> {
    return new StepMap(this.index, this.states.map(change));
  }

  forEach(visit: (state: State, key: string, map: ReadonlyMap<string, State>) => void): void {
    for (const [key, state] of this) visit(state, key, this);
  }

  *keys(): MapIterator<string> {
    for (const [key] of this) yield key;
  }

  *values(): MapIterator<State> {
    for (const state of this.states) yield state;
  }

  entries(): MapIterator<[string, State]> {
    return this[Symbol.iterator]();
  }

  /** In the order in which they began. */
  *[Symbol.iterator](): MapIterator<[string, State]> {
    for (const [key, at] of this.index) {
      const state = this.states[at];
      if (state !== undefined) yield [key, state];
    }
  }
}

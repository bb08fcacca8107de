/** A value of the whole page, such as the preferences: components that use it are drawn again when it changes. */
import { useSyncExternalStore } from 'react';

export class SharedValue<Value> {
  readonly #listeners = new Set<() => void>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  /** Does nothing if it is the same value. */
  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  /** Returns how to stop listening. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export const useShared = <Value>(shared: SharedValue<Value>): Value =>
  useSyncExternalStore(shared.subscribe, shared.get);

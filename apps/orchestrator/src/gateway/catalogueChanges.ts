/** Servers that said that what they offer has changed, for those who pass that on. */
export class CatalogueChanges {
  readonly #listeners = new Set<() => void>();

  readonly tell = (): void => {
    for (const listener of this.#listeners) listener();
  };

  /** Until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

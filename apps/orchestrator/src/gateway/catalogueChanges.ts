/** Announces that a server's tools, prompts or resources changed. */
export class CatalogueChanges {
  readonly #listeners = new Set<() => void>();

  readonly tell = (): void => {
    for (const listener of this.#listeners) listener();
  };

  /** Listens until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Announces that a server's tools, prompts or resources changed. */
export class CatalogueChanges {
  readonly #listeners = new Set<(server: string) => void>();

  readonly tell = (server: string): void => {
    for (const listener of this.#listeners) listener(server);
  };

  /** Listens until the returned function is called. */
  listen(listener: (server: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

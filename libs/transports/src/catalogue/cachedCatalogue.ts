/** Caches the catalogue of one server: reads it on demand, and again when it is stale or the server reports a change. */
import type { Catalogue, Tool } from '@baton/protocol';

import { FirstHints } from './firstHints.ts';

interface CachedCatalogueOptions {
  /** Rejects with `FailureError`. */
  readonly read: () => Promise<Catalogue>;
  readonly maxAgeMs: number;
  /** Called when a list differs from the one before, although the server reported no change. */
  readonly onChanged: () => void;
}

const digestsOf = (tools: readonly Tool[]): string =>
  tools.map(({ name, digests: { contract, text } }) => `${name} ${contract} ${text}`).join('\n');

export class CachedCatalogue {
  readonly #options: CachedCatalogueOptions;
  readonly #hints = new FirstHints();
  #catalogue: Promise<Catalogue> | undefined;
  #staleAt = Number.POSITIVE_INFINITY;
  /** When the last reading began. */
  #readAt = Number.NEGATIVE_INFINITY;
  #tools: ReadonlyMap<string, Tool> = new Map();
  /** The list that `#tools` was made from. */
  #listed: readonly Tool[] | undefined;

  constructor(options: CachedCatalogueOptions) {
    this.#options = options;
  }

  /** The tool as last read; undefined before the first read, or if there is no such tool. */
  toolNamed(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The tools as last read, however long ago; undefined before the first reading. */
  get listed(): readonly Tool[] | undefined {
    return this.#listed;
  }

  /** Reads the lists again where they are older than `maxAgeMs`; 0: now. Rejects with `FailureError`. */
  async get(maxAgeMs = Number.POSITIVE_INFINITY): Promise<Catalogue> {
    const now = performance.now();
    if (now >= this.#staleAt || this.#readAt <= now - maxAgeMs) this.forget();
    if (this.#catalogue === undefined) {
      this.#readAt = now;
      const reading = this.#read();
      this.#catalogue = reading;
      reading.catch(() => {
        if (this.#catalogue === reading) this.forget();
      });
    }
    const catalogue = await this.#catalogue;
    if (catalogue.tools !== this.#listed) this.#take(catalogue.tools);
    this.#staleAt = Math.min(catalogue.staleAt, catalogue.readAt + this.#options.maxAgeMs);
    return catalogue;
  }

  /** The next `get` reads it again. */
  forget(): void {
    this.#catalogue = undefined;
  }

  async #read(): Promise<Catalogue> {
    const catalogue = await this.#options.read();
    return { ...catalogue, tools: this.#hints.heldTo(catalogue.tools) };
  }

  #take(tools: readonly Tool[]): void {
    const before = this.#listed;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#listed = tools;
    if (before !== undefined && before.length > 0 && digestsOf(before) !== digestsOf(tools)) this.#options.onChanged();
  }
}

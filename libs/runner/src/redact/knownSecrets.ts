/** All secrets that a process knows, of all servers: a secret sent to one server may come back from another. */
import { type Redactor, redactor } from './redactor.ts';

export class KnownSecrets {
  readonly #origins = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  #redactor: Redactor | undefined;

  /**
   * Replaces the secrets of this origin. The previous ones stay known for one more round, since they may still be on
   * their way back.
   */
  learn(origin: string, values: readonly string[]): void {
    const known = this.#origins.get(origin);
    if (known === undefined ? values.length === 0 : isSame(known.now, values)) return;
    this.#origins.set(origin, { now: [...values], before: known?.now ?? [] });
    this.#redactor = undefined;
  }

  /** Redacts the secrets that are known now. Do not keep it: later secrets need a new one. */
  get redactor(): Redactor {
    this.#redactor ??= redactor([...this.#origins.values()].flatMap(({ now, before }) => [...now, ...before]));
    return this.#redactor;
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** All secrets that a process knows of, whoever they are for: what one server was told another may say. */
import type { Redactor } from './redactor.ts';
import { redactor } from './redactor.ts';

export class KnownSecrets {
  readonly #origins = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  #redactor: Redactor | undefined;

  /** In place of what came from there before; that is known for one more round, since it may still be on its way back. */
  learn(origin: string, values: readonly string[]): void {
    const known = this.#origins.get(origin);
    if (known === undefined ? values.length === 0 : isSame(known.now, values)) return;
    this.#origins.set(origin, { now: [...values], before: known?.now ?? [] });
    this.#redactor = undefined;
  }

  /** For what is known now: to be asked for anew each time. */
  get redactor(): Redactor {
    this.#redactor ??= redactor([...this.#origins.values()].flatMap(({ now, before }) => [...now, ...before]));
    return this.#redactor;
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

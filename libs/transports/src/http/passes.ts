/** The requests of one link over HTTP that are under way, and how far each of them got. */
import type { Account, LinkReport } from '../session/link.ts';
import { Pass } from './pass.ts';

export class Passes implements Account {
  readonly peer: string;
  /** What the server has not done yet, where that is something else than answering `initialize`. */
  awaits: string | undefined;
  readonly #passes = new Map<number, Pass>();

  /** `peer`: how the address is shown. */
  constructor(peer: string) {
    this.peer = peer;
  }

  /** Begins to keep account of a request. */
  open(id: number): Pass {
    const pass = new Pass();
    this.#passes.set(id, pass);
    return pass;
  }

  of(id: number): Pass | undefined {
    return this.#passes.get(id);
  }

  /** Undefined where nobody waited for it any more. */
  settle(id: number): Pass | undefined {
    const pass = this.#passes.get(id);
    this.#passes.delete(id);
    return pass;
  }

  mayHaveArrived(id: number): boolean {
    return this.#passes.get(id)?.isSent ?? true;
  }

  forget(id: number): void {
    this.settle(id)?.abort.abort();
  }

  report(): LinkReport {
    return { peer: this.peer, ...(this.awaits === undefined ? {} : { awaits: this.awaits }) };
  }
}

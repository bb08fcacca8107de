/** The turns at servers that a run has, between the answer of the meters and the event that uses it. */
import type { CallTurn, CallTurns, Command, Run, RunEvent } from '@baton/engine';
import { defined } from '@baton/primitives';

import type { CallPace, PacedCall } from '../ports/callPace.ts';

const keyOf = ({ path, attempt }: { readonly path: string; readonly attempt: number }): string => `${path}#${attempt}`;

export class HeldTurns implements CallTurns {
  readonly #pace: CallPace | undefined;
  readonly #asked: Pick<PacedCall, 'by' | 'person'>;
  readonly #turns = new Map<string, CallTurn>();
  /** By events that may not be on record. */
  readonly #used = new Map<string, CallTurn>();

  /** `by` and `person`: of the run. */
  constructor(pace: CallPace | undefined, { by, person }: Pick<Run, 'by' | 'person'>) {
    this.#pace = pace;
    this.#asked = { by, ...defined({ person }) };
  }

  isPaced(server: string): boolean {
    return this.#pace?.isPaced(server, this.#asked.person) === true;
  }

  of(path: string, attempt: number): CallTurn | undefined {
    // A run may wait for its turn where no server has a rate any more.
    return this.#pace === undefined ? { kind: 'at', at: 0 } : this.#turns.get(keyOf({ path, attempt }));
  }

  async take(command: Extract<Command, { kind: 'turn' }>): Promise<void> {
    const { server, name, had, withinMs } = command;
    const turn = await this.#pace?.takeTurn({ server, name, ...this.#asked }, defined({ had, withinMs }));
    if (turn !== undefined) this.#turns.set(keyOf(command), turn);
  }

  /** Each turn is used by one event of its step: the call begins, or waits until then. */
  noteUsed(events: readonly RunEvent[]): void {
    if (this.#turns.size === 0) return;
    for (const event of events) {
      if (!('attempt' in event) || isLiningUp(event)) continue;
      const key = keyOf(event);
      const turn = this.#turns.get(key);
      if (turn !== undefined) this.#used.set(key, turn);
      this.#turns.delete(key);
    }
  }

  /** Events that used turns may not be on record: the steps still have them. */
  restore(): void {
    for (const [key, turn] of this.#used) if (!this.#turns.has(key)) this.#turns.set(key, turn);
    this.#used.clear();
  }

  /** Its call is being made. */
  forget(command: Pick<Command, 'path' | 'attempt'>): void {
    this.#turns.delete(keyOf(command));
    this.#used.delete(keyOf(command));
  }
}

const isLiningUp = (event: RunEvent): boolean =>
  event.type === 'step.waiting' && event.awaiting.for === 'turn' && event.awaiting.until === undefined;

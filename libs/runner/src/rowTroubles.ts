/**
 * Keeps what fails for one row from the others: a row in the database that cannot be read would else stop what every
 * process does, for all of them.
 */
import { NewestMap } from '@baton/primitives';

import { UnavailableError } from './ports/journal.ts';

/** `what`: the name of the task, and the row that it failed for. */
export type TaskTrouble = (error: Error, what: string) => void;

/** Of rows that fail; the oldest is told again. */
const toldMax = 1_000;

export class RowTroubles {
  readonly #task: string;
  readonly #onTrouble: TaskTrouble;
  /** The message of the last failure: of the whole task (''), and of its rows. */
  readonly #told = new NewestMap<string, string>(toldMax);

  /** `onTrouble`: called once for each failure that differs from the one before, until that is over. */
  constructor(task: string, onTrouble: TaskTrouble) {
    this.#task = task;
    this.#onTrouble = onTrouble;
  }

  /** Undefined: it failed, and the rest goes on without it. Rejects with `UnavailableError`, which concerns all rows. */
  async tryRow<Done>(row: string, work: () => Promise<Done>): Promise<Done | undefined> {
    try {
      const done = await work();
      this.over(row);
      return done;
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      this.tell(error, row);
      return undefined;
    }
  }

  /** Without a row: the whole task failed. */
  tell(error: unknown, row = ''): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (this.#told.get(row) === failure.message) return;
    this.#told.set(row, failure.message);
    this.#onTrouble(failure, row === '' ? this.#task : `${this.#task} (${row})`);
  }

  over(row = ''): void {
    this.#told.delete(row);
  }
}

/** Ctrl-C while watching a run: asks whether to cancel the run or only stop watching. */
import { unawaited, withoutRepeats } from '@baton/primitives';

import type { Context } from '../context.ts';

export interface InterruptOptions {
  readonly context: Context;
  /** Called before the question is shown, and after it is answered. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly leave: () => void;
  readonly cancel: () => Promise<void>;
}

type InterruptChoice = 'stay' | 'leave' | 'cancel';

export class Interrupts {
  readonly #options: InterruptOptions;
  #isOver = false;
  /** Aborted to remove the question; undefined while no question is shown. */
  #question: AbortController | undefined;
  /** The next Ctrl-C leaves: the question is shown, or a cancel was requested. */
  #isAsked = false;

  constructor(options: InterruptOptions) {
    this.#options = options;
    process.on('SIGINT', this.#onInterrupt);
  }

  /** Removes the question, if it is shown. */
  end(): void {
    process.off('SIGINT', this.#onInterrupt);
    this.#isOver = true;
    this.#question?.abort();
  }

  readonly #onInterrupt = withoutRepeats(
    () => performance.now(),
    () => {
      const { context, leave } = this.#options;
      if (this.#isAsked || !context.isInteractive) return leave();
      this.#isAsked = true;
      unawaited(this.#ask());
    },
  );

  async #ask(): Promise<void> {
    const { pause, resume, leave, cancel } = this.#options;
    pause();
    const choice = await this.#choose();
    this.#question = undefined;
    if (this.#isOver) return;
    if (choice === 'leave') return leave();
    this.#isAsked = choice === 'cancel';
    resume();
    if (choice === 'cancel') await cancel();
  }

  async #choose(): Promise<InterruptChoice> {
    const { isCancel, select } = await import('@clack/prompts');
    const { stdin, stderr } = this.#options.context;
    // A new signal for each question: one aborted after the answer would still write to the terminal.
    this.#question = new AbortController();
    const { signal } = this.#question;
    const choice = await select<InterruptChoice>({
      message: 'The run continues without you. What now?',
      options: [
        { value: 'stay', label: 'Keep watching' },
        { value: 'leave', label: 'Stop watching', hint: 'or ctrl-c again' },
        { value: 'cancel', label: 'Cancel the run' },
      ],
      input: stdin,
      output: stderr.stream,
      signal,
    });
    return isCancel(choice) ? 'leave' : choice;
  }
}

/** Ctrl-C while a run is watched: the run does not end with its watcher, unless that is what is wanted. */
import type { Context } from '../context.ts';

export interface InterruptOptions {
  readonly context: Context;
  /** Called before the question is put, and after it is answered. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly leave: () => void;
  readonly cancel: () => Promise<void>;
}

type InterruptChoice = 'stay' | 'leave' | 'cancel';

export class Interrupts {
  readonly #options: InterruptOptions;
  #isOver = false;
  /** While it is put. */
  #question: AbortController | undefined;
  /** The next Ctrl-C leaves: the question is being put, or cancelling was asked for. */
  #isAsked = false;

  constructor(options: InterruptOptions) {
    this.#options = options;
    process.on('SIGINT', this.#onInterrupt);
  }

  /** The question, if it is being put, goes away. */
  end(): void {
    process.off('SIGINT', this.#onInterrupt);
    this.#isOver = true;
    this.#question?.abort();
  }

  readonly #onInterrupt = (): void => {
    const { context, leave } = this.#options;
    if (this.#isAsked || !context.isInteractive) return leave();
    this.#isAsked = true;
    void this.#ask();
  };

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
    // One for each: a signal that is aborted after the answer would still write to the terminal.
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

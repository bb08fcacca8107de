/** Asks the questions of a watched run at the terminal: the tree makes room for the prompt, and returns. */
import { type Client, type Question, ProblemError, UnreachableError } from '@baton/api/client';
import type { RunEvent } from '@baton/engine';

import type { Context } from '../context.ts';
import { askForm } from '../inputs/askInputs.ts';
import { drawQuestion } from '../inputs/drawQuestion.ts';
import { explainError } from '../output/explainError.ts';
import { oneLine } from '../output/text.ts';
import { isQuestion } from './isQuestion.ts';

export interface QuestionPromptsOptions {
  readonly context: Context;
  readonly client: Client;
  readonly runId: string;
  /** Called before a question is shown, and after it is answered. */
  readonly pause: () => void;
  readonly resume: () => void;
}

export class QuestionPrompts {
  readonly #options: QuestionPromptsOptions;
  /** Ids of questions that were shown once. */
  readonly #put = new Set<string>();
  /** The question that is shown now. */
  #open: { readonly step: string; readonly gone: AbortController } | undefined;
  /** One after the other. */
  #asking: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: QuestionPromptsOptions) {
    this.#options = options;
  }

  take(event: RunEvent): void {
    if (isQuestion(event)) {
      this.#asking = this.#asking.then(() => this.#askAll());
      return;
    }
    // Another person answered first, the question expired, or the run was cancelled.
    if ('path' in event && event.path === this.#open?.step && event.type !== 'step.progressed') this.#open.gone.abort();
  }

  /** Removes the question, if one is shown. */
  end(): void {
    this.#isOver = true;
    this.#open?.gone.abort();
  }

  async #askAll(): Promise<void> {
    const { client, runId, pause, resume } = this.#options;
    try {
      for await (const question of client.questions.all({ runId })) {
        if (this.#isOver) return;
        if (this.#put.has(question.id)) continue;
        this.#put.add(question.id);
        pause();
        await this.#ask(question);
        if (!this.#isOver) resume();
      }
    } catch (error) {
      this.#sayThatItFailed(error);
    }
  }

  async #ask(question: Question): Promise<void> {
    const { id, step, form } = question;
    const { context, client } = this.#options;
    const { stderr } = context;
    const later = `Answer it later: baton answer ${oneLine(id)}`;
    for (const line of await drawQuestion(stderr, client, question)) stderr.line(line);
    const gone = new AbortController();
    this.#open = { step, gone };
    const answer = await askForm(context, form, gone.signal);
    this.#open = undefined;
    if (gone.signal.aborted) return stderr.line(stderr.paint.dim('The question is closed.'));
    if (answer === undefined) return stderr.line(stderr.paint.dim(later));
    try {
      await client.questions.answer(id, answer);
    } catch (error) {
      this.#sayThatItFailed(error);
    }
  }

  /** Continues to watch; the question stays open. */
  #sayThatItFailed(error: unknown): void {
    if (!(error instanceof ProblemError) && !(error instanceof UnreachableError)) throw error;
    const { stderr } = this.#options.context;
    stderr.line(explainError(error, stderr)?.text);
  }
}

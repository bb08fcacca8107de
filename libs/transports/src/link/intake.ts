/** Passes on what a server wrote. Every link reads through it, so a server is understood alike over all of them. */
import { FailureError } from '@baton/engine';
import { cleanText } from '@baton/primitives';

import type { LinkListeners } from './link.ts';
import { type Answer, type Message, type Reading, isCall, readMessages, spoiltAnswerIn } from './messages.ts';

const shownCharacters = 160;

export class Intake {
  readonly #link: Pick<LinkListeners, 'onmessage' | 'onlost' | 'onnoise'>;
  readonly #onAnswer: (id: number) => void;

  /** `onAnswer`: called before an answer is passed on. */
  constructor(
    link: Pick<LinkListeners, 'onmessage' | 'onlost' | 'onnoise'>,
    onAnswer: (id: number) => void = () => {},
  ) {
    this.#link = link;
    this.#onAnswer = onAnswer;
  }

  /**
   * Passes on the messages in the text. `of`: the request that the text answers; an answer without an id is then its
   * answer. Returns what was read; `isAnswered`: the answer was among it.
   */
  take(text: string, of?: number): Reading & { readonly isAnswered: boolean } {
    const reading = readMessages(text);
    const isAnswered = this.deliver(reading.messages, of);
    if (reading.rest === '') return { ...reading, isAnswered };
    const isLost = !isAnswered && this.#isSpoilt(reading.rest);
    if (!isLost) this.#link.onnoise?.();
    return { ...reading, isAnswered: isAnswered || isLost };
  }

  /** The same for messages that were read already. Returns whether the answer of `of` was among them. */
  deliver(messages: readonly Message[], of?: number): boolean {
    let isAnswered = false;
    for (const message of messages) {
      const own = isCall(message) ? message : owned(message, of);
      if (!isCall(own)) {
        isAnswered ||= of !== undefined && Number(own.id) === of;
        this.#onAnswer(Number(own.id));
      }
      this.#link.onmessage?.(own);
    }
    return isAnswered;
  }

  /** Half a message, or one with what JSON does not know: its call has ended, and the answer cannot be read. */
  #isSpoilt(text: string): boolean {
    const spoilt = spoiltAnswerIn(text);
    const why = spoilt === undefined ? undefined : jsonProblem(text);
    if (spoilt === undefined || why === undefined) return false;
    const delivery = spoilt.isResult ? 'answered' : 'unknown';
    const failure = new FailureError('invalid-result', `The answer is no JSON: ${why}.`, { delivery });
    return this.#link.onlost?.(spoilt.id, failure) === true;
  }
}

const owned = (answer: Answer, of: number | undefined): Answer =>
  of === undefined || answer.id !== undefined ? answer : { ...answer, id: of };

/** Why the text is no JSON; undefined if it is. */
function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // The engine quotes the text, and half a secret would not be recognised.
    const [why = ''] = (error instanceof Error ? error.message : '').split(/, (?:\.\.\.)?"/);
    return cleanText(why, shownCharacters);
  }
}

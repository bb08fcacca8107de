/**
 * Texts of one connection: assembles them from frames, passes them to `onText`, and sends the answer under the same task.
 *
 * A text ends with the frame that ends its task. Some devices do not send that frame, so a text also ends when no frame
 * has been added for a while.
 */
import { FailureError } from '@baton/engine';
import { cleanText, unawaited } from '@baton/primitives';
import { encodeText } from '@baton/protocol';

import type { DeviceLimits } from './limits.ts';

/** Answers a text. Rejects with `FailureError`, which is then sent to the device. */
export type TextHandler = (device: string, taskId: string, text: string) => Promise<string>;

export interface TextTasksParts {
  readonly limits: DeviceLimits;
  readonly onText: TextHandler;
  /** Returns the device's name; called when a text has ended. */
  readonly device: () => string;
  readonly send: (frames: string) => void;
}

/** Why a frame was refused, as a sentence. */
type TextRefusal = { readonly code: string; readonly problem: string } | undefined;

export class TextTasks {
  readonly #parts: TextTasksParts;
  readonly #open = new Map<string, { text: string; timer: NodeJS.Timeout }>();
  readonly #answering = new Set<string>();

  constructor(parts: TextTasksParts) {
    this.#parts = parts;
  }

  add(taskId: string, piece: string): TextRefusal {
    const { tasks, textCharacters, textSilenceMs } = this.#parts.limits;
    if (this.#answering.has(taskId)) return { code: 'task-busy', problem: 'The task is being answered.' };
    const open = this.#open.get(taskId);
    if (open === undefined && this.#open.size + this.#answering.size >= tasks) {
      return { code: 'too-many-tasks', problem: `${tasks} texts are being answered, the maximum.` };
    }
    clearTimeout(open?.timer);
    const text = `${open?.text ?? ''}${piece}`;
    if (text.length > textCharacters) {
      this.#open.delete(taskId);
      return { code: 'text-too-large', problem: `The text has more than ${textCharacters} characters.` };
    }
    this.#open.set(taskId, { text, timer: setTimeout(() => this.end(taskId), textSilenceMs) });
    return undefined;
  }

  /** Does nothing if the text has already ended. */
  end(taskId: string): void {
    const open = this.#open.get(taskId);
    if (open === undefined) return;
    clearTimeout(open.timer);
    this.#open.delete(taskId);
    this.#answering.add(taskId);
    unawaited(this.#answer(taskId, open.text));
  }

  /** Drops unfinished texts. Answers in progress continue, and are not sent. */
  close(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }

  async #answer(taskId: string, text: string): Promise<void> {
    const { onText, device, send, limits } = this.#parts;
    const reply = await onText(device(), taskId, text).catch((error: unknown) => {
      if (error instanceof FailureError) return `${error.failure.message} (${error.failure.code})`;
      throw error;
    });
    this.#answering.delete(taskId);
    const isWhole = reply.length <= limits.textCharacters;
    send(encodeText(taskId, isWhole ? reply : cleanText(reply, limits.textCharacters)));
  }
}

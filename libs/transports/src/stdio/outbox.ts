/**
 * A queue of messages for a server's stdin.
 *
 * Messages of one turn of the event loop leave in one write: after a commit that fifty runs waited for, fifty calls
 * begin at once.
 *
 * While the pipe is full, messages wait here and not in the stream: a request that was not handed to the kernel can be
 * removed, and is known to be unsent.
 */
import type { Writable } from 'node:stream';

const waitingCharactersMax = 128 * 1024 * 1024;

export class Outbox {
  readonly #stream: Writable;
  /** In the order of `put`. */
  readonly #waiting = new Map<number, string>();
  #isFull = false;
  #isCorked = false;
  #waitingCharacters = 0;
  /** The next key for a message that is never looked up. */
  #anonymous = -1;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
  }

  /** False if the queue is full because the server does not read. */
  put(text: string, id = this.#anonymous--): boolean {
    if (!this.#isFull) this.#write(text);
    else if (this.#waitingCharacters + text.length > waitingCharactersMax) return false;
    else {
      this.#waiting.set(id, text);
      this.#waitingCharacters += text.length;
    }
    return true;
  }

  holds(id: number): boolean {
    return this.#waiting.has(id);
  }

  takeBack(id: number): void {
    this.#waitingCharacters -= this.#waiting.get(id)?.length ?? 0;
    this.#waiting.delete(id);
  }

  #flush(): void {
    if (this.#waiting.size === 0 || !this.#stream.writable) return;
    const texts = [...this.#waiting.values()].join('');
    this.#waiting.clear();
    this.#waitingCharacters = 0;
    this.#write(texts);
  }

  #write(text: string): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      // After the microtasks, so that all waiters of one event have put their messages.
      process.nextTick(() => {
        this.#isCorked = false;
        this.#stream.uncork();
      });
    }
    this.#isFull = !this.#stream.write(text);
  }
}

/** Received bytes that are not used yet. Appending costs only the size of the new bytes, also for very small pieces. */
const spareBytes = 64 * 1024;

export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  /** What is held. Valid until the next `push` or `drop`. */
  get view(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to);
  }

  push(chunk: Uint8Array): void {
    if (this.#to + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#to);
    this.#to += chunk.length;
  }

  drop(count: number): void {
    this.#from += count;
    if (this.#from < this.#to) return;
    this.#from = 0;
    this.#to = 0;
    if (this.#bytes.length > spareBytes) this.#bytes = Buffer.alloc(0);
  }

  #makeRoom(more: number): void {
    const held = this.view;
    // Doubles the buffer, so that bytes are rarely copied.
    const room = Buffer.allocUnsafeSlow(Math.max(2 * held.length, held.length + more, 1_024));
    held.copy(room);
    this.#bytes = room;
    this.#from = 0;
    this.#to = held.length;
  }
}

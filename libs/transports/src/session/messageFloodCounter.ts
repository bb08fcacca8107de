/** Admits at most `perSecond` messages in each second. */
export class MessageFloodCounter {
  readonly #perSecond: number;
  #second = 0;
  #inSecond = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  admits(now: number): boolean {
    const second = Math.floor(now / 1_000);
    this.#inSecond = second === this.#second ? this.#inSecond + 1 : 1;
    this.#second = second;
    return this.#inSecond <= this.#perSecond;
  }
}

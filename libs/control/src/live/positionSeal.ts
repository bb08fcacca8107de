/**
 * Seals positions in the events of all runs before clients see them: a position contains the id of a run, which the
 * client may not be allowed to know. The same position gives the same text on every orchestrator.
 */
import { type FeedPosition, isFeedPosition } from '@baton/store';

import { TextSeal } from './textSeal.ts';

export class PositionSeal {
  readonly #seal: TextSeal;

  /** See `TextSeal`. */
  constructor(keys: readonly Buffer[]) {
    this.#seal = new TextSeal(keys);
  }

  seal(position: FeedPosition): string {
    return this.#seal.seal(position);
  }

  /** Undefined for a text that no orchestrator of this installation sealed. */
  open(text: string): FeedPosition | undefined {
    const position = this.#seal.open(text);
    return position !== undefined && isFeedPosition(position) ? position : undefined;
  }
}

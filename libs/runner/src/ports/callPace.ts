/** When calls may be made to servers that take them at a rate, or have asked to be called later. */
import type { CallTurn } from '@baton/engine';

export interface PacedCall {
  readonly server: string;
  /** See `pacedName`. */
  readonly name: string;
  /** Who asked for the run. */
  readonly by: string;
}

export interface CallPace {
  /** Whether calls to the server wait for their turn now. Costs nothing for a server without a rate. */
  isPaced(server: string): boolean;
  /**
   * Takes a turn in the line of the server, before the intent of the call. `had`: the turn that it took before, which has
   * come. `withinMs`: one that is further away is not taken.
   */
  takeTurn(call: PacedCall, more: { readonly had?: number; readonly withinMs?: number }): Promise<CallTurn>;
  /**
   * Called when the call can be sent at once. Resolves at the moment at which it may be; false: not within two seconds, or
   * it is not known.
   */
  mayBeSent(call: PacedCall, signal: AbortSignal): Promise<boolean>;
  /** The server has asked to be called later. */
  noteOverload(server: string, retryAfterMs: number): void;
}

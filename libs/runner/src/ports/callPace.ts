/** When calls may be made to servers that take them at a rate, or have asked to be called later. */
import { type CallTurn, type RunPerson, FailureError } from '@baton/engine';

export interface PacedCall {
  readonly server: string;
  /** See `pacedName`. */
  readonly name: string;
  /** Who asked for the run. */
  readonly by: string;
  /** The person behind the run; absent: none. */
  readonly person?: RunPerson;
}

export interface CallPace {
  /** Whether calls to the server wait for their turn now, or for a login of the person. Costs nothing elsewhere. */
  isPaced(server: string, person?: RunPerson): boolean;
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
  /** Whether the person has no login at a server where people have their own. Rejects with `UnavailableError`. */
  lacksLogin?(server: string, person: RunPerson): Promise<boolean>;
  /**
   * A call to the server failed. What the server itself said of a pause holds for all processes; that this process does
   * not try it for a while is no word of the server.
   */
  noteFailure(server: string, failure: { readonly code: string; readonly retryAfterMs?: number | undefined }): void;
}

/** Its turn passed while the call was made ready: it was not sent, and lines up again. */
export class MissedTurnError extends FailureError {
  constructor(server: string) {
    super('server-overloaded', `The turn of this call at the server "${server}" has passed.`, { delivery: 'unsent' });
  }
}

/** Resolves at the moment at which the call may be sent. Rejects with `MissedTurnError`. */
export async function turnOf(pace: CallPace, call: PacedCall, signal: AbortSignal): Promise<void> {
  if (!(await pace.mayBeSent(call, signal))) throw new MissedTurnError(call.server);
}

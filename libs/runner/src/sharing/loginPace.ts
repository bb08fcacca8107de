/**
 * Lets calls wait for the login of their person, before their intent, as they wait for their turn at a server with a rate.
 */
import type { CallTurn, RunPerson } from '@baton/engine';

import type { CallPace, PacedCall } from '../ports/callPace.ts';
import type { Clock } from '../ports/clock.ts';

export interface PersonLogins {
  /** False where the person surely has a login, or needs none. Costs nothing. */
  mayLackLogin(server: string, person: RunPerson): boolean;
  /** Rejects with `UnavailableError`. */
  lacksLogin(server: string, person: RunPerson): Promise<boolean>;
}

export class LoginPace implements CallPace {
  readonly #rates: CallPace;
  readonly #logins: PersonLogins;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(rates: CallPace, logins: PersonLogins, clock: Pick<Clock, 'now'>) {
    this.#rates = rates;
    this.#logins = logins;
    this.#clock = clock;
  }

  isPaced(server: string, person?: RunPerson): boolean {
    return this.#rates.isPaced(server) || (person !== undefined && this.#logins.mayLackLogin(server, person));
  }

  async takeTurn(call: PacedCall, more: Parameters<CallPace['takeTurn']>[1]): Promise<CallTurn> {
    const { server, person } = call;
    if (person !== undefined && (await this.lacksLogin(server, person))) return { kind: 'login', who: person.name };
    return this.#rates.isPaced(server) ? this.#rates.takeTurn(call, more) : { kind: 'at', at: this.#clock.now() };
  }

  async mayBeSent(call: PacedCall, signal: AbortSignal): Promise<boolean> {
    return !this.#rates.isPaced(call.server) || this.#rates.mayBeSent(call, signal);
  }

  noteFailure(...failed: Parameters<CallPace['noteFailure']>): void {
    this.#rates.noteFailure(...failed);
  }

  async lacksLogin(server: string, person: RunPerson): Promise<boolean> {
    return this.#logins.mayLackLogin(server, person) && this.#logins.lacksLogin(server, person);
  }
}

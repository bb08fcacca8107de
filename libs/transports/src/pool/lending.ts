/**
 * Sessions of a server that may ask: each is lent to one run at a time. Before 2026-07-28 a request of a server does not
 * say during which call it is made, so that the person who is asked might be of another run.
 */
import type { Session } from '../session/session.ts';

interface Loan {
  readonly runId: string;
  calls: number;
}

/** No run: a reading of lists, or the session that listens. */
const isRun = (runId: string): boolean => runId !== '' && runId !== noRun;

/** In place of a run id: the session that listens for resources, if sessions are not shared. */
export const noRun = 'no run';

export class Lending {
  readonly #isAsking: boolean;
  readonly #loans = new Map<Session, Loan>();

  /** `isAsking`: the server may ask a person or a model. */
  constructor(isAsking: boolean) {
    this.#isAsking = isAsking;
  }

  /** Whether a call stands in line although a session has room, which waits for the run that it is lent to. */
  standsInLine(runId: string): boolean {
    return this.#isAsking && isRun(runId);
  }

  mayServe(session: Session, runId: string): boolean {
    if (!this.#isLent(session) || !isRun(runId)) return true;
    const loan = this.#loans.get(session);
    return loan === undefined || loan.runId === runId;
  }

  began(session: Session, runId: string): void {
    if (!this.#isLent(session) || !isRun(runId)) return;
    const loan = this.#loans.get(session) ?? { runId, calls: 0 };
    loan.calls += 1;
    this.#loans.set(session, loan);
  }

  ended(session: Session, runId: string): void {
    const loan = this.#loans.get(session);
    if (loan?.runId !== runId) return;
    loan.calls -= 1;
    if (loan.calls === 0) this.#loans.delete(session);
  }

  /** Whether a call that ended without an answer may still ask on this session. */
  isMarked(session: Session, runId: string): boolean {
    return this.#isLent(session) && isRun(runId);
  }

  #isLent(session: Session): boolean {
    return this.#isAsking && session.isLegacy;
  }
}

/** How often things go wrong by themselves, each a probability; beside them come the faults of the schedule. */
export interface Rates {
  readonly appendUnheard: number;
  readonly appendLost: number;
  readonly appendLate: number;
  readonly readFails: number;
  readonly bellLost: number;
  readonly bellDoubled: number;
  readonly bellLate: number;
  /** Before its run is on record; no trouble at all, but it comes in another order. */
  readonly bellEarly: number;
  readonly hintLost: number;
  readonly hintDoubled: number;
  readonly callUnsent: number;
  readonly callRejected: number;
  readonly callFails: number;
  readonly answerLost: number;
  readonly callHangs: number;
  readonly poolWaits: number;
}

export const noTrouble: Rates = {
  appendUnheard: 0,
  appendLost: 0,
  appendLate: 0,
  readFails: 0,
  bellLost: 0,
  bellDoubled: 0,
  bellLate: 0,
  bellEarly: 0,
  hintLost: 0,
  hintDoubled: 0,
  callUnsent: 0,
  callRejected: 0,
  callFails: 0,
  answerLost: 0,
  callHangs: 0,
  poolWaits: 0,
};

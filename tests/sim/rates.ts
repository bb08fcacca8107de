/** How often things go wrong by themselves, each a probability; beside them come the faults of the schedule. */
export interface Rates {
  readonly appendUnheard: number;
  readonly appendLost: number;
  readonly appendLate: number;
  /** A commit takes seconds. */
  readonly commitSlow: number;
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
  /** A caller that has as many runs as it may: a child waits until there is room. */
  readonly quotaWaits: number;
  /** Answers of tools that have more than 64 KiB. */
  readonly largeAnswers: number;
  /** Of large values, of secrets, of definitions, of child runs, of owners, of turns. */
  readonly valueReadFails: number;
  readonly secretReadFails: number;
  readonly definitionReadFails: number;
  readonly childReadFails: number;
  readonly ownerReadFails: number;
  readonly turnReadFails: number;
  readonly heartbeatFails: number;
  /** A read of a large value takes a second or more. */
  readonly valueReadSlow: number;
}

export const noTrouble: Rates = {
  appendUnheard: 0,
  appendLost: 0,
  appendLate: 0,
  commitSlow: 0,
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
  quotaWaits: 0,
  largeAnswers: 0,
  valueReadFails: 0,
  secretReadFails: 0,
  definitionReadFails: 0,
  childReadFails: 0,
  ownerReadFails: 0,
  turnReadFails: 0,
  heartbeatFails: 0,
  valueReadSlow: 0,
};

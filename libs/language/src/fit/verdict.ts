/**
 * What can be said before the run.
 *
 *   proved         it holds for all values
 *   assumed        nothing says that it does not
 *   contradiction  it cannot hold
 */
export type FitVerdict = 'proved' | 'assumed' | 'contradiction';

const rank: Readonly<Record<FitVerdict, number>> = { proved: 0, assumed: 1, contradiction: 2 };

/** All have to hold. */
export const allOf = (verdicts: readonly FitVerdict[]): FitVerdict =>
  verdicts.reduce<FitVerdict>((worst, one) => (rank[one] > rank[worst] ? one : worst), 'proved');

/** One has to hold. */
export function anyOf(verdicts: readonly FitVerdict[]): FitVerdict {
  if (verdicts.includes('proved')) return 'proved';
  return verdicts.includes('assumed') ? 'assumed' : 'contradiction';
}

/** A value that may be of several types: each has to fit, and none fitting is a contradiction. */
export function ofEach(verdicts: readonly FitVerdict[]): FitVerdict {
  if (verdicts.every((one) => one === 'proved')) return 'proved';
  return verdicts.every((one) => one === 'contradiction') ? 'contradiction' : 'assumed';
}

export const atBest = (verdict: FitVerdict, isSure: boolean): FitVerdict =>
  isSure || verdict === 'contradiction' ? verdict : 'assumed';

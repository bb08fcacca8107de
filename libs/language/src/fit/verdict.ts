/**
 * The result of a check before the run.
 *
 *   proved         it holds for all values
 *   assumed        nothing says that it does not
 *   contradiction  it cannot hold
 */
export type FitVerdict = 'proved' | 'assumed' | 'contradiction';

const rank: Readonly<Record<FitVerdict, number>> = { proved: 0, assumed: 1, contradiction: 2 };

/** All must hold. */
export const allOf = (verdicts: readonly FitVerdict[]): FitVerdict =>
  verdicts.reduce<FitVerdict>((worst, one) => (rank[one] > rank[worst] ? one : worst), 'proved');

/** One must hold. */
export function anyOf(verdicts: readonly FitVerdict[]): FitVerdict {
  if (verdicts.includes('proved')) return 'proved';
  return verdicts.includes('assumed') ? 'assumed' : 'contradiction';
}

/** For a value with several possible types: proved if each fits, a contradiction if none does. */
export function ofEach(verdicts: readonly FitVerdict[]): FitVerdict {
  if (verdicts.every((one) => one === 'proved')) return 'proved';
  return verdicts.every((one) => one === 'contradiction') ? 'contradiction' : 'assumed';
}

export const atBest = (verdict: FitVerdict, isSure: boolean): FitVerdict =>
  isSure || verdict === 'contradiction' ? verdict : 'assumed';

/**
 * `Prefer: wait=10, return=minimal` (RFC 7240): how long the client wants to wait for the end of the run, and whether
 * its outcome is enough.
 */

const waitSecondsMax = 300;

export interface Preferences {
  /** 0 if the client does not want to wait. */
  readonly waitMs: number;
  /** Wants the outcome alone, without the steps. */
  readonly isMinimal: boolean;
}

/** The first of repeated preferences counts; an invalid one is ignored (RFC 7240, section 2). */
export function preferencesIn(prefer: string | readonly string[] | undefined): Preferences {
  const header = typeof prefer === 'string' ? prefer : (prefer ?? []).join(',');
  const all = header.split(',');
  const [seconds = '0'] = all.flatMap((one) => wait.exec(one)?.[1] ?? []);
  const [answer] = all.flatMap((one) => wantedAnswer.exec(one)?.[1] ?? []);
  return {
    waitMs: Math.min(Number(seconds), waitSecondsMax) * 1_000,
    isMinimal: answer?.toLowerCase() === 'minimal',
  };
}

const wait = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i;
const wantedAnswer = /^\s*return\s*=\s*"?(minimal|representation)"?\s*(?:;.*)?$/i;

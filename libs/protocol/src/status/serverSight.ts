/** The state of a server as one process sees it, as JSON: workers store it, and the API shows it. */
import type { ServerStatus } from './serverStatus.ts';

export interface ServerSight {
  readonly name: string;
  readonly state: string;
  readonly sessions: {
    readonly open: number;
    readonly busy: number;
    readonly opening: number;
    readonly inFlight: number;
  };
  readonly waiting: number;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half-open';
    readonly failures: number;
    readonly until?: string;
  };
  readonly lastError?: { readonly at: string; readonly code: string; readonly message: string };
  /** The end of what it wrote to stderr. */
  readonly stderr?: string;
}

const stderrCharacters = 4_096;

/** `monotonicOffsetMs`: what makes an instant of `performance.now()` one of the wall clock. */
export function serverSight(status: ServerStatus, monotonicOffsetMs = performance.timeOrigin): ServerSight {
  const { name, state, sessions, waiting, breaker, lastError, stderr } = status;
  const { open, busy, opening, inFlight } = sessions;
  return {
    name,
    state,
    sessions: { open, busy, opening, inFlight },
    waiting,
    breaker: {
      state: breaker.kind,
      failures: breaker.failures,
      ...(breaker.kind === 'open' ? { until: new Date(monotonicOffsetMs + breaker.until).toISOString() } : {}),
    },
    ...(lastError === undefined
      ? {}
      : { lastError: { at: new Date(lastError.at).toISOString(), code: lastError.code, message: lastError.message } }),
    ...(stderr === undefined ? {} : { stderr: stderr.slice(-stderrCharacters).toWellFormed() }),
  };
}

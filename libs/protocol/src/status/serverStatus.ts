/** The state of a server, as the process that calls it knows it. */
import type { Failure } from '@baton/engine';

import type { IntroducedServer } from '../catalogue/catalogue.ts';
import type { ServerConfig } from '../config/server.ts';

interface SessionCounts {
  /** Includes busy and suspect ones. */
  readonly open: number;
  readonly busy: number;
  /** Pinged, to learn whether they are still alive. */
  readonly suspect: number;
  readonly opening: number;
  /** Calls in flight. */
  readonly inFlight: number;
}

/** Whether sessions are opened: `open` means that none is, until `until`. */
export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly failures: number; readonly until: number }
  | { readonly kind: 'half-open'; readonly failures: number };

export interface LastError {
  readonly code: string;
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly details: Failure['details'] | undefined;
}

export interface ServerStatus {
  readonly name: string;
  readonly type: ServerConfig['type'] | 'device';
  /** `idle`: not needed yet. */
  readonly state: 'disabled' | 'idle' | 'opening' | 'ready' | 'failing' | 'resting';
  readonly sessions: SessionCounts;
  readonly waiting: number;
  /** The revision that was agreed on last; undefined while none was. */
  readonly protocolVersion: string | undefined;
  /** `modern`: 2026-07-28 and later, without sessions. */
  readonly era: 'legacy' | 'modern' | undefined;
  readonly server: IntroducedServer['server'];
  readonly breaker: BreakerState;
  readonly lastError: LastError | undefined;
  /** The end of what its process wrote to stderr, without secrets. */
  readonly stderr?: string | undefined;
}

/** The port for metrics of servers. Called on the hot path: implementations only add. */
import type { FailureCode } from '@baton/engine';

export interface ServerMetricsPort {
  /** A request and how it ended. `ms`: from sending to answer. */
  called(server: string, method: string, outcome: 'ok' | FailureCode, ms: number): void;
  /** How long a call waited for a session. Only called if it had to wait. */
  waited(server: string, ms: number): void;
  opened(server: string, outcome: 'ok' | FailureCode, ms: number): void;
  closed(server: string): void;
}

export const unmeasured: ServerMetricsPort = { called: () => {}, waited: () => {}, opened: () => {}, closed: () => {} };

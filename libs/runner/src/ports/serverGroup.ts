/** A group of servers behind one object: the servers of a configuration, or the devices. */
import type { Catalogue, ServerStatus } from '@baton/protocol';

import type { Calls } from './calls.ts';

export interface ServerGroup {
  readonly calls: Calls;
  readonly names: readonly string[];
  /** `maxAgeMs`: reads it again where it was read longer ago. Rejects with `FailureError`. */
  catalogue(name: string, maxAgeMs?: number): Promise<Catalogue>;
  status(): readonly ServerStatus[];
  /** Resolves when no process, connection or timer is left. */
  close(): Promise<void>;
}

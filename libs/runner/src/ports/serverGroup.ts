/** A group of servers behind one object: the servers of a configuration, or the devices. */
import type { RunPerson } from '@baton/engine';
import type { Catalogue, ServerStatus } from '@baton/protocol';

import type { Calls } from './calls.ts';

export interface ServerGroup {
  readonly calls: Calls;
  readonly names: readonly string[];
  /**
   * `maxAgeMs`: reads it again where it was read longer ago. `person`: whose login shows it, at a server where people have
   * their own; absent: that of the installation. Rejects with `FailureError`.
   */
  catalogue(name: string, maxAgeMs?: number, person?: RunPerson): Promise<Catalogue>;
  status(): readonly ServerStatus[];
  /** Resolves when no process, connection or timer is left. */
  close(): Promise<void>;
}

/** All that a drive needs from outside, in one bag. */
import type { Run, RunEvent } from '@baton/engine';
import type { Semaphore } from '@baton/primitives';

import type { RunAdmission } from './ports/admission.ts';
import type { Bell } from './ports/bell.ts';
import type { Bus } from './ports/bus.ts';
import type { CallBudgets } from './ports/callBudgets.ts';
import type { CallPace } from './ports/callPace.ts';
import type { Calls, Models } from './ports/calls.ts';
import type { Clock } from './ports/clock.ts';
import type { BlobStore, Journal } from './ports/journal.ts';
import type { Children, Fence, Plans, Secrets, Turns, Workers } from './ports/ports.ts';
import type { StateSource } from './ports/stateSource.ts';
import type { KnownSecrets } from './redact/knownSecrets.ts';
import type { BlobCache } from './values/blobCache.ts';

export interface Ports {
  /** This worker's id. */
  readonly worker: string;
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly cache: BlobCache;
  readonly plans: Plans;
  readonly calls: Calls;
  readonly models: Models;
  /** Absent: no server has a rate. */
  readonly pace?: CallPace | undefined;
  /** Absent: there are none. */
  readonly budgets?: CallBudgets | undefined;
  readonly children: Children;
  readonly secrets: Secrets;
  readonly state: StateSource;
  /** Secrets that are redacted from failures and from answers of models. `secrets` adds those that it reveals. */
  readonly known: KnownSecrets;
  /** Absent: runs do not wait for each other. */
  readonly turns?: Turns;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly workers: Workers;
  readonly fence: Fence;
  /** Permits to keep runs for a moment that only wait for children. Absent: the worker releases them at once. */
  readonly waitingPlaces?: Semaphore;
  /** Absent: every run may begin. */
  readonly admit?: RunAdmission | undefined;
  /**
   * Records in the audit trail that a run was ended because its journal was forged. Rejects with `UnavailableError`.
   */
  readonly noteForgery?: (runId: string, message: string) => Promise<void>;
  /** Called with every event that became durable, for logs and metrics. */
  readonly observe?: (run: Run, events: readonly RunEvent[]) => void;
}

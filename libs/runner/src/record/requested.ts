/** Builds the first event of a run and its blobs, in the same way for every trigger. */
import type {
  EventOf,
  LostInterval,
  Parent,
  DefinitionPart,
  RunEvent,
  RunLimits,
  RunPerson,
  Trigger,
} from '@baton/engine';
import type { Budget } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import type { NewBlob } from '../ports/journal.ts';
import { BlobCache } from '../values/blobCache.ts';
import { BlobOffloader } from '../values/blobOffloader.ts';

export interface RunOrder {
  readonly workflow: string;
  /** Absent for a workflow given inline. */
  readonly version?: number | undefined;
  /** Digest of the definition. */
  readonly definition: string;
  /** Already validated against the workflow's schema, defaults filled in. */
  readonly inputs: JsonObject;
  readonly trigger: Trigger;
  readonly by: string;
  readonly via?: string | undefined;
  readonly person?: RunPerson | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly parent?: Parent | undefined;
  readonly rerunOf?: string | undefined;
  readonly notBefore?: number | undefined;
  readonly depth?: number | undefined;
  readonly budget?: Budget | undefined;
  readonly limits?: RunLimits | undefined;
  readonly part?: DefinitionPart | undefined;
  readonly lost?: LostInterval | undefined;
}

export function requested(order: RunOrder, at: number): { event: EventOf<'run.requested'>; blobs: readonly NewBlob[] } {
  const { inputs, ...rest } = order;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as typeof rest;
  const offloader = new BlobOffloader(new BlobCache(0));
  const event = offloader.offload({ type: 'run.requested', at, ...given, inputs: { json: inputs } } as RunEvent);
  return { event: event as EventOf<'run.requested'>, blobs: offloader.takeBlobs() };
}

/** Deploys a workflow again with the same text, pinned to its tools as they are now: by an approval, or by a proof. */
import { type Json, type JsonObject, defined, isObject } from '@baton/primitives';
import { type Definition, type DeployOutcome, type Pins, type Store, definitionOf, deployWorkflow } from '@baton/store';

import { type ScheduleParts, placedTriggers } from './placedTriggers.ts';

export interface Redeployment {
  readonly workflow: string;
  /** The version whose text it has. */
  readonly replaced: number;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly definition: Definition;
  /** Warnings of the last check. */
  readonly findings: readonly Json[];
  readonly schedules: readonly ScheduleParts[];
  readonly by: string;
  readonly repinned?: JsonObject;
}

export const withPins = ({ source, format, edition }: Definition, pins: Pins): Definition =>
  definitionOf(source, format, pins, edition);

/** Rejects with `ReplacedError` if the newest version is another one by now, and with `UnavailableError`. */
export function redeploy(
  store: Store,
  { replaced, title, description, findings, schedules, ...rest }: Redeployment,
): Promise<DeployOutcome> {
  return deployWorkflow(store, {
    ...rest,
    ...defined({ title, description }),
    // They are about the tools as they were: this version is pinned to the changed ones.
    findings: findings.filter((one) => !(isObject(one) && one['code'] === 'tool-changed')),
    schedules: placedTriggers(schedules, store.now()),
    mayReplace: (newest) => newest === replaced,
  });
}

/** Starts a run for a changed resource, once for each change. */

import { ProblemError } from '@baton/api';
import { EvaluationError } from '@baton/expressions';
import type { ResourceTrigger } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { digestOf } from '@baton/protocol';
import { type Store, listRuns } from '@baton/store';
import type { Servers } from '@baton/transports';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';
import { dedupeKey } from '../intake/dedupeKey.ts';
import type { RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';

export interface ChangeOptions {
  readonly store: Store;
  readonly starter: RunStarter;
  readonly servers: Pick<Servers, 'calls'>;
}

/** A resource as it was read. */
export interface ResourceContent {
  readonly digest: string;
  /** The contents, as `resources/read` returned them. */
  readonly contents: readonly JsonObject[];
}

const readMs = 30_000;
/** Runs of one workflow that are searched for those of the trigger. */
const runsMax = 50;

/** Rejects with `FailureError`. */
export async function readContent(
  { servers }: ChangeOptions,
  { workflow: id, trigger: { server } }: ResourceTriggerTarget,
  uri: string,
  signal: AbortSignal,
): Promise<ResourceContent> {
  const runId = `resource trigger ${uri}`;
  const workflow = { id, isDeployed: true };
  const context = {
    runId,
    workflow,
    attemptKey: runId,
    signal,
    timeout: { totalMs: readMs },
    onProgress: (): void => {},
  };
  try {
    const { result } = await servers.calls.readResource({ server, uri, arguments: {} }, context);
    const contents = (result['contents'] ?? []) as readonly JsonObject[];
    return { digest: digestOf(contents), contents };
  } finally {
    servers.calls.release(runId);
  }
}

export interface PastRun {
  readonly id: string;
  readonly digest: string;
}

/** The runs that changes of this resource started, newest first. Rejects with `UnavailableError`. */
export async function pastRuns(
  { store }: ChangeOptions,
  taker: ResourceTriggerTarget,
  uri: string,
): Promise<readonly PastRun[]> {
  const { workflow, trigger } = taker;
  const { runs } = await listRuns(store, { workflow, trigger: 'resource' }, { limit: runsMax });
  return runs.flatMap(({ id, trigger: { detail = {} } }) => {
    const isOfIt = detail['server'] === trigger.server && detail['uri'] === uri;
    return isOfIt && typeof detail['digest'] === 'string' ? [{ id, digest: detail['digest'] }] : [];
  });
}

export type ResourceTriggerTarget = DeployedTrigger<ResourceTrigger>;

export interface ResourceChange {
  readonly uri: string;
  readonly content: ResourceContent;
  /** The run of the previous change, so that two processes that see the same change agree on it. */
  readonly before: string | undefined;
}

/**
 * Resolves to the run; to undefined if the trigger's `if` is false; to a sentence if no run is possible. Rejects with
 * `UnavailableError`, and with `ProblemError` for a transient problem of Baton.
 */
export async function startOnChange(
  { starter }: ChangeOptions,
  { workflow, version, trigger }: ResourceTriggerTarget,
  { uri, content, before }: ResourceChange,
): Promise<{ readonly runId: string } | { readonly refused: string } | undefined> {
  const { server, key } = trigger;
  const { digest, contents } = content;
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const event = { server, uri, text: texts.join('\n'), contents: [...contents] };
  try {
    if (trigger.if !== undefined && trigger.if.evaluate({ event }) !== true) return undefined;
    const inputs = trigger.inputs.evaluate({ event });
    const given = trigger.dedupe?.evaluate({ event });
    const scope = `resource ${workflow}.${key}`;
    const once = given === undefined ? dedupeKey(`${before ?? 'first'} ${uri} ${digest}`) : dedupeKey(given);
    const detail = { trigger: key, server, uri, digest };
    const principal = triggerPrincipal(scope, workflow);
    const order = { inputs, principal, trigger: { kind: 'resource', detail } } as const;
    return await starter.start({ workflow, version }, order, { scope, key: once, digest: 'resource' });
  } catch (error) {
    if (error instanceof EvaluationError) return { refused: error.message };
    const isOurs = !(error instanceof ProblemError) || error.status >= 500;
    if (isOurs || error.code === 'in-progress') throw error;
    return { refused: error.message };
  }
}

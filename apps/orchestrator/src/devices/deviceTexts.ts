/**
 * Answers text messages of devices: each starts the workflows with a matching trigger, and their outputs become the
 * reply.
 */
import { ProblemError } from '@baton/api';
import {
  type DeployedTrigger,
  type DeployedTriggers,
  dedupeKey,
  type StartedRun,
  type RunStarter,
  journalOf,
  waitForEnd,
  type RunWatches,
  type RunView,
  triggerPrincipal,
} from '@baton/control';
import { type FailureCode, failureCodes, FailureError } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import type { DeviceTrigger } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { type Clock, type Journal, UnavailableError } from '@baton/runner';

import { replyIn } from './replyIn.ts';

export interface TextsOptions {
  readonly deployed: DeployedTriggers;
  readonly starter: RunStarter;
  readonly journal: Journal;
  readonly watches: RunWatches;
  readonly view: RunView;
  readonly clock: Clock;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** A connection may have a few texts in progress, and not for ever: a run may wait for a person. */
const replyWithinMs = 10 * 60_000;

/** What expressions see as `event`. */
interface TextEvent extends JsonObject {
  readonly device: string;
  readonly task: string;
  readonly text: string;
}

export class DeviceTexts {
  #options: TextsOptions | undefined;

  /** Begins to answer texts. Devices may connect earlier, because a worker must find them as soon as it starts. */
  open(options: TextsOptions): void {
    this.#options = options;
  }

  /**
   * Resolves to the reply. If several workflows take the text, it has one line for each, ordered by name. Rejects with
   * `FailureError`, whose message the device reads.
   */
  async answer(device: string, task: string, text: string): Promise<string> {
    const options = this.#options;
    if (options === undefined) throw new FailureError('server-unreachable', 'Baton is starting. Try again soon.');
    const event: TextEvent = { device, task, text };
    const all = await told(options.deployed.of('device'));
    const takers = all.filter((taker) => takes(taker, event));
    const [first] = takers;
    if (first === undefined) throw new FailureError('server-rejected', 'No workflow takes this text.');
    if (takers.length === 1) return replyOf(options, first, event);
    const replies = takers.map((taker) => replyOf(options, taker, event).catch(asText));
    return (await Promise.all(replies)).join('\n');
  }
}

type DeviceTextTrigger = DeployedTrigger<DeviceTrigger>;

function takes({ trigger }: DeviceTextTrigger, event: TextEvent): boolean {
  try {
    return trigger.if === undefined || trigger.if.evaluate({ event }) === true;
  } catch (error) {
    throw asFailure(error);
  }
}

async function replyOf(options: TextsOptions, taker: DeviceTextTrigger, event: TextEvent): Promise<string> {
  const { journal, watches, view, clock, stopping: signal } = options;
  const { runId, isNew } = await told(start(options, taker, event));
  const look = journalOf(runId, journal);
  const waited = waitForEnd({ runId, forMs: replyWithinMs, mayHaveEnded: !isNew, signal, look, watches, clock });
  const events = await told(waited);
  if (events === undefined) {
    const message = `The run ${runId} continues, but Baton no longer waits for its reply.`;
    throw new FailureError('timeout', message, { delivery: 'unknown' });
  }
  const { status, outputs, error } = await told(view.shown(runId, events));
  if (status === 'cancelled') throw new FailureError('cancelled', `The run ${runId} was cancelled.`);
  if (error !== undefined) throw new FailureError(codeOf(error.code), error.message);
  return replyIn(outputs);
}

/** Devices choose task ids and reuse them, so an id does not identify a text. */
async function start({ starter }: TextsOptions, taker: DeviceTextTrigger, event: TextEvent): Promise<StartedRun> {
  const { workflow, version, trigger } = taker;
  const inputs = trigger.inputs.evaluate({ event });
  const { device, task } = event;
  const given = trigger.dedupe?.evaluate({ event });
  const idempotency =
    given === undefined ? undefined : { scope: `device ${workflow}`, key: dedupeKey(given), digest: 'device' };
  const principal = triggerPrincipal(`device ${device}`, workflow);
  const order = { inputs, principal, trigger: { kind: 'device', detail: { device, task } } } as const;
  return starter.start({ workflow, version }, order, idempotency);
}

const told = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((error: unknown) => {
    throw asFailure(error);
  });

/** Errors that a device may see; a bug is rethrown. */
function asFailure(error: unknown): unknown {
  if (error instanceof EvaluationError) return new FailureError(error.code, error.message, { cause: error });
  if (error instanceof UnavailableError) {
    return new FailureError('server-unreachable', 'Baton cannot start runs just now. Try again soon.', {
      cause: error,
    });
  }
  if (!(error instanceof ProblemError)) return error;
  const { status, detail } = error;
  return new FailureError(status < 500 ? 'invalid-inputs' : 'server-overloaded', detail, { cause: error });
}

/** A workflow can define codes of its own with `fail`. */
const codeOf = (code: string): FailureCode =>
  Object.hasOwn(failureCodes, code) ? (code as FailureCode) : 'workflow-failed';

function asText(error: unknown): string {
  if (!(error instanceof FailureError)) throw error;
  return `${error.failure.message} (${error.failure.code})`;
}

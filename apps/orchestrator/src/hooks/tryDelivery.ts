/** Tries a webhook for its author: signs a body with the stored secret, and takes it as if its sender had sent it. */
import { randomUUID } from 'node:crypto';

import { ProblemError } from '@baton/api';
import { maySee, type Principal } from '@baton/control';
import { EvaluationError, validateInputs } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { signedHeaders, verifyDelivery } from '@baton/protocol';
import type { Plans } from '@baton/runner';

import {
  type HookOptions,
  type HookRequest,
  findWebhook,
  hookSecrets,
  readDelivery,
  startDelivered,
} from './receive.ts';

export type TryDeliveryOptions = HookOptions & { readonly plans: Plans };

export interface TriedDelivery {
  readonly workflow: string;
  readonly hook: string;
  /** A text is sent as it is; another value as JSON. */
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
  /** Starts no run. */
  readonly isPreview: boolean;
}

export interface DeliveryOutcome {
  readonly outcome: 'started' | 'repeated' | 'ignored' | 'refused' | 'would-start';
  readonly reason?: string;
  readonly run?: string;
  readonly inputs?: Json;
}

/** Rejects with `ProblemError` if the key may see no such hook or may not start its workflow. */
export async function tryDelivery(
  options: TryDeliveryOptions,
  principal: Principal,
  tried: TriedDelivery,
): Promise<DeliveryOutcome> {
  const { workflow, hook } = tried;
  const found = maySee(principal, workflow) ? await findWebhook(options, tried) : undefined;
  if (found === undefined) throw noHook(workflow, hook);
  const { scheme, secret } = found.trigger;
  const { secrets, unusable } = await hookSecrets(options, workflow, { scheme, secret });
  const [key] = secrets;
  if (key === undefined) return { outcome: 'refused', reason: unusable ?? `The secret "${secret}" is not set.` };
  const request = signed(tried, (text) =>
    signedHeaders(scheme, { id: `test_${randomUUID()}`, body: text, secret: key, nowMs: options.clock.now() }),
  );
  const { id, fault } = verifyDelivery(scheme, { ...request, secrets, nowMs: options.clock.now() });
  if (id === undefined) return { outcome: 'refused', reason: fault };
  try {
    const read = readDelivery(request, found.trigger, id);
    if (read.kind === 'challenge') return { outcome: 'ignored', reason: `The answer to Slack is its challenge.` };
    if (read.kind === 'ignored') return { outcome: 'ignored', reason: read.reason };
    if (tried.isPreview) return await preview(options, found, workflow, read.inputs);
    const { runId, isNew } = await startDelivered(options, request, found, read, principal);
    options.notes.note(request, { outcome: isNew ? 'started' : 'repeated', reason: undefined, runId });
    return { outcome: isNew ? 'started' : 'repeated', run: runId, inputs: read.inputs };
  } catch (error) {
    if (error instanceof EvaluationError) return { outcome: 'refused', reason: error.message };
    throw error;
  }
}

async function preview(
  { store, plans }: TryDeliveryOptions,
  { version }: { readonly version: number },
  workflow: string,
  inputs: Json,
): Promise<DeliveryOutcome> {
  const deployed = await store.findVersion({ workflow, version });
  const { errors } = deployed === undefined ? {} : validateInputs(await plans(deployed.definition), inputs);
  if (errors === undefined) return { outcome: 'would-start', inputs };
  const reason = errors.map((one) => `inputs${one.pointer}: ${one.message}`).join(' ');
  return { outcome: 'refused', reason, inputs };
}

function signed(
  { workflow, hook, body, headers }: TriedDelivery,
  sign: (text: string) => Readonly<Record<string, string>>,
): HookRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const type = { 'content-type': 'application/json' };
  return { workflow, hook, query: {}, headers: { ...type, ...given, ...sign(text) }, body: Buffer.from(text) };
}

function noHook(workflow: string, hook: string): ProblemError {
  const name = JSON.stringify(`${workflow}/${hook}`.slice(0, 160));
  return new ProblemError('not-found', `There is no webhook ${name}. list_webhooks names those that there are.`);
}

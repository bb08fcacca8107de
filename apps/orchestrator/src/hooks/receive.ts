/** Receives webhooks: a signed request becomes a run, once. */
import type { IncomingHttpHeaders } from 'node:http';

import { ProblemError } from '@baton/api';
import {
  type Principal,
  type Triggers,
  dedupeKey,
  type StartedRun,
  type RunStarter,
  triggerPrincipal,
} from '@baton/control';
import { type Expression, EvaluationError } from '@baton/expressions';
import { type WebhookTrigger, isHiddenHeader } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { type VerifiedDelivery, hookKeyBytesMin, isHookKey, verifyDelivery } from '@baton/protocol';
import type { BoundSecrets, Clock, HookSecret } from '@baton/runner';
import type { Store } from '@baton/store';

import { storable } from '../http/json/senderJson.ts';
import { deliveredBody } from './deliveredBody.ts';
import type { DeliveryNotes } from './deliveryNotes.ts';

export interface HookOptions {
  readonly store: Store;
  readonly secrets: BoundSecrets;
  readonly starter: RunStarter;
  readonly triggers: Triggers;
  readonly clock: Clock;
  readonly notes: DeliveryNotes;
}

export interface HookRequest {
  readonly workflow: string;
  readonly hook: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export interface FoundWebhook {
  readonly version: number;
  readonly trigger: WebhookTrigger;
}

/** What a signed delivery led to. */
export type ReceivedDelivery =
  | { readonly kind: 'run'; readonly run: StartedRun }
  /** It is not meant for this workflow. */
  | { readonly kind: 'ignored'; readonly reason: string }
  /** Slack asks whether the address is ours. */
  | { readonly kind: 'challenge'; readonly challenge: string };

/**
 * Rejects with the same `ProblemError` for an unknown hook, a missing secret and a wrong signature; with
 * `EvaluationError` if the inputs cannot be computed, and with `UnavailableError`.
 */
export async function receiveHook(options: HookOptions, request: HookRequest): Promise<ReceivedDelivery> {
  const found = await findWebhook(options, request);
  const { id, fault } = await verified(options, request, found?.trigger);
  if (found === undefined) throw refused();
  if (id === undefined) {
    options.notes.note(request, { outcome: 'refused', reason: fault, runId: undefined });
    throw refused();
  }
  return take(options, request, found, dedupeKey(id)).catch((error: unknown) => refuse(options, request, error));
}

/** Records the refusal with its reason, for the owners of the hook. */
function refuse({ notes }: HookOptions, request: HookRequest, error: unknown): never {
  const isRefusal = error instanceof ProblemError || error instanceof EvaluationError;
  if (isRefusal) notes.note(request, { outcome: 'refused', reason: error.message, runId: undefined });
  throw error;
}

async function take(
  options: HookOptions,
  request: HookRequest,
  found: FoundWebhook,
  delivery: string,
): Promise<ReceivedDelivery> {
  const read = readDelivery(request, found.trigger, delivery);
  if (read.kind !== 'order') return read;
  const { workflow, hook } = request;
  const principal = triggerPrincipal(`hook ${workflow}/${hook}`, workflow);
  return { kind: 'run', run: await startDelivered(options, request, found, read, principal) };
}

/** What a delivery asks for. */
export interface DeliveredOrder {
  readonly kind: 'order';
  readonly inputs: Json;
  /** Deliveries with the same one start one run. */
  readonly key: string;
  readonly delivery: string;
}

/** `delivery`: its id. Throws `ProblemError` and `EvaluationError`. */
export function readDelivery(
  request: HookRequest,
  trigger: WebhookTrigger,
  delivery: string,
): Exclude<ReceivedDelivery, { kind: 'run' }> | DeliveredOrder {
  const event = eventOf(request, trigger.scheme);
  const challenge = trigger.scheme === 'slack' ? challengeIn(event) : undefined;
  if (challenge !== undefined) return { kind: 'challenge', challenge };
  const reason = trigger.if && whyFalse(trigger.if, event);
  if (reason !== undefined) return { kind: 'ignored', reason };
  const inputs = trigger.inputs.evaluate({ event });
  const given = trigger.dedupe?.evaluate({ event }) ?? delivery;
  return { kind: 'order', inputs, key: dedupeKey(given), delivery };
}

/** `principal`: the hook; or the key that tries its hook, which may start only what it may see. */
export async function startDelivered(
  { starter }: Pick<HookOptions, 'starter'>,
  { workflow, hook }: HookRequest,
  { version }: FoundWebhook,
  { inputs, key, delivery }: DeliveredOrder,
  principal: Principal,
): Promise<StartedRun> {
  return starter.start(
    { workflow, version },
    { inputs, principal, trigger: { kind: 'webhook', detail: { hook, delivery } } },
    // Only the id counts: the same id is the same delivery.
    { scope: `hook ${workflow}/${hook}`, key, digest: 'hook' },
  );
}

/** https://docs.slack.dev/reference/events/url_verification */
function challengeIn({ body }: JsonObject): string | undefined {
  if (!isObject(body) || body['type'] !== 'url_verification') return undefined;
  return typeof body['challenge'] === 'string' ? body['challenge'] : undefined;
}

/** A sender sends events of many shapes to one address: a condition that reads what one lacks is not true for it. */
function whyFalse(condition: Expression, event: JsonObject): string | undefined {
  try {
    return condition.evaluate({ event }) === true ? undefined : 'Its condition, `if`, is not true.';
  } catch (error) {
    if (error instanceof EvaluationError) return `Its condition, \`if\`, has no value: ${error.message}`;
    throw error;
  }
}

/** Of the newest version. */
export async function findWebhook(
  { store, triggers }: Pick<HookOptions, 'store' | 'triggers'>,
  { workflow, hook }: Pick<HookRequest, 'workflow' | 'hook'>,
): Promise<FoundWebhook | undefined> {
  const version = await store.findVersion({ workflow });
  const all = version === undefined ? [] : await triggers(version.definition);
  const trigger = all.find((one): one is WebhookTrigger => one.kind === 'webhook' && one.name === hook);
  return version && trigger && { version: version.version, trigger };
}

/** For an unknown hook it looks up a secret and signs too, so that the time of an answer tells little. */
async function verified(
  options: HookOptions,
  { workflow, headers, body }: HookRequest,
  { secret, scheme }: HookSecret = { secret: 'nothing', scheme: 'standard' },
): Promise<VerifiedDelivery> {
  const { secrets, unusable } = await hookSecrets(options, workflow, { secret, scheme });
  const delivery = verifyDelivery(scheme, { headers, body, secrets, nowMs: options.clock.now() });
  if (delivery.id !== undefined) return delivery;
  return { fault: unusable ?? `${delivery.fault} (scheme: ${scheme}, secret: ${secret})` };
}

/** The current secret and the one before, or why none can be used. */
export async function hookSecrets(
  { secrets }: Pick<HookOptions, 'secrets'>,
  workflow: string,
  { secret, scheme }: HookSecret,
): Promise<{ readonly secrets: readonly string[]; readonly unusable?: string }> {
  const use = { as: 'webhook', workflow: { id: workflow, isDeployed: true } } as const;
  const found = (await secrets.reveal([secret], use)).get(secret);
  if (found === undefined) return { secrets: [], unusable: `The secret "${secret}" is not set.` };
  if ('refused' in found) return { secrets: [], unusable: found.refused };
  const { value, before } = found;
  if (isHookKey(value, scheme)) return { secrets: before === undefined ? [value] : [value, before] };
  return { secrets: [], unusable: `The secret "${secret}" has fewer than ${hookKeyBytesMin} bytes.` };
}

const refused = (): ProblemError =>
  new ProblemError('signature-refused', 'There is no such hook, or the request is not signed as it should be.');

/** What expressions see as `event`. Throws `ProblemError`. */
function eventOf({ headers, query, body }: HookRequest, scheme: WebhookTrigger['scheme']): JsonObject {
  const shown = Object.entries(headers).filter(([name, value]) => typeof value === 'string' && !isHiddenHeader(name));
  const asked = Object.entries(query).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => storable(String(one))) : storable(String(value)),
  ]);
  return {
    body: deliveredBody(headers['content-type'] ?? '', body, scheme),
    headers: Object.fromEntries(shown) as JsonObject,
    query: Object.fromEntries(asked) as JsonObject,
  };
}

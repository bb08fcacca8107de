/** Receives webhooks: a signed request becomes a run, once. */
import type { IncomingHttpHeaders } from 'node:http';

import { ProblemError } from '@baton/api';
import type { Json, JsonObject, WebhookTrigger } from '@baton/language';
import { EvaluationError, whyNotUsed } from '@baton/language';
import { schemes } from '@baton/protocol';
import type { Clock } from '@baton/runner';
import type { Store, Vault } from '@baton/store';
import { revealSecrets } from '@baton/store';

import type { Triggers } from '../deploy/triggers.ts';
import { parseStrictJson, textOf } from '../http/json/strictJson.ts';
import { dedupeKey } from '../intake/dedupeKey.ts';
import type { StartedRun, RunStarter } from '../intake/starter.ts';
import type { DeliveryNotes } from './deliveryNotes.ts';
import { isHiddenHeader } from './hiddenHeaders.ts';

export interface HookOptions {
  readonly store: Store;
  readonly vault: Vault;
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

interface FoundWebhook {
  readonly version: number;
  readonly trigger: WebhookTrigger;
}

/**
 * Resolves to the run; undefined if the trigger's `if` is false. Rejects with the same `ProblemError` for an unknown
 * hook, a missing secret and a wrong signature; with `EvaluationError` and `UnavailableError`.
 */
export async function receiveHook(options: HookOptions, request: HookRequest): Promise<StartedRun | undefined> {
  const found = await find(options, request);
  const { delivery, fault } = await verified(options, request, found?.trigger);
  if (found === undefined) throw refused();
  if (delivery === undefined) {
    options.notes.note(request, { outcome: 'refused', reason: fault, runId: undefined });
    throw refused();
  }
  return start(options, request, found, delivery).catch((error: unknown) => refuse(options, request, error));
}

/** Records the refusal with its reason, for the owners of the hook. */
function refuse({ notes }: HookOptions, request: HookRequest, error: unknown): never {
  const isRefusal = error instanceof ProblemError || error instanceof EvaluationError;
  if (isRefusal) notes.note(request, { outcome: 'refused', reason: error.message, runId: undefined });
  throw error;
}

/** The identity of a signed delivery; or why it is refused, for the owners of the hook. */
type Verification =
  | { readonly delivery: string; readonly fault?: never }
  | { readonly delivery?: never; readonly fault: string };

async function start(
  options: HookOptions,
  request: HookRequest,
  found: FoundWebhook,
  delivery: string,
): Promise<StartedRun | undefined> {
  const { workflow, hook } = request;
  const { trigger, version } = found;
  const event = eventOf(request);
  if (trigger.if !== undefined && trigger.if.evaluate({ event }) !== true) return undefined;
  const inputs = trigger.inputs.evaluate({ event });
  const given = trigger.dedupe?.evaluate({ event }) ?? delivery;
  const from = `hook ${workflow}/${hook}`;
  return options.starter.start(
    { workflow, version },
    { inputs, by: from, trigger: { kind: 'webhook', detail: { hook, delivery } } },
    // Only the id counts: the same id is the same delivery.
    { scope: from, key: dedupeKey(given), digest: 'hook' },
  );
}

async function find(
  { store, triggers }: HookOptions,
  { workflow, hook }: HookRequest,
): Promise<FoundWebhook | undefined> {
  const version = await store.findVersion({ workflow });
  const all = version === undefined ? [] : await triggers(version.definition);
  const trigger = all.find((one): one is WebhookTrigger => one.kind === 'webhook' && one.name === hook);
  return version && trigger && { version: version.version, trigger };
}

/** For an unknown hook it looks up a secret and signs too, so that the time of an answer tells little. */
async function verified(
  { store, vault, clock }: HookOptions,
  { workflow, headers, body }: HookRequest,
  { secret, scheme }: Pick<WebhookTrigger, 'secret' | 'scheme'> = { secret: 'nothing', scheme: 'standard' },
): Promise<Verification> {
  const revealed = (await revealSecrets(store, vault, [secret])).get(secret);
  const unusable =
    revealed === undefined
      ? `The secret "${secret}" is not set.`
      : whyNotUsed(secret, revealed, { workflow: { id: workflow, isDeployed: true } });
  const secrets =
    revealed === undefined || unusable !== undefined
      ? []
      : [revealed.value, ...(revealed.before === undefined ? [] : [revealed.before])];
  const delivery = schemes[scheme]({ headers, body, secrets, nowMs: clock.now() });
  return delivery === undefined ? { fault: unusable ?? unsigned(secret, scheme) } : { delivery };
}

const unsigned = (secret: string, scheme: WebhookTrigger['scheme']): string =>
  scheme === 'github'
    ? `X-Hub-Signature-256 is not the signature of this body with the secret "${secret}".`
    : `The headers webhook-id, webhook-timestamp and webhook-signature do not sign this body with the secret "${secret}" within five minutes of now.`;

const refused = (): ProblemError =>
  new ProblemError('signature-refused', 'There is no such hook, or the request is not signed as it should be.');

/** What expressions see as `event`. Throws `ProblemError`. */
function eventOf({ headers, query, body }: HookRequest): JsonObject {
  const shown = Object.entries(headers).filter(([name, value]) => typeof value === 'string' && !isHiddenHeader(name));
  const asked = Object.entries(query).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return {
    body: bodyOf(headers['content-type'] ?? '', body),
    headers: Object.fromEntries(shown) as JsonObject,
    query: Object.fromEntries(asked) as JsonObject,
  };
}

function bodyOf(type: string, body: Buffer): Json {
  if (/^application\/([\w.+-]+\+)?json\b/i.test(type)) return parseStrictJson(body);
  const text = textOf(body);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return text;
  const form = Object.fromEntries(new URLSearchParams(text));
  // GitHub's form encoding of the same body.
  return form['payload'] === undefined ? form : { ...form, payload: parseStrictJson(Buffer.from(form['payload'])) };
}

/**
 * The ways in which senders sign webhooks: Standard Webhooks (https://www.standardwebhooks.com), and those of GitHub,
 * GitLab, Shopify, Slack and Stripe. A signature covers the exact bytes of the body; GitLab's token covers nothing.
 */
import { createHash } from 'node:crypto';

import { codeOf, longEnough } from './hmac.ts';

export interface HookRequest {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** What the headers of a request claim about its body. */
interface Claim {
  /** The bytes that are signed. */
  readonly content: Buffer;
  /** The codes of the signatures, each of 32 bytes. */
  readonly codes: readonly Buffer[];
  /** When it was signed, in seconds; absent: the scheme signs no time. */
  readonly atS?: number;
  /** By what its sender tells the delivery from others, also when it is sent again. */
  readonly id: () => string;
}

export interface UnsignedDelivery {
  /** Printable, without spaces, at most 255 characters. */
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly nowMs: number;
}

interface Scheme {
  /** The header of the signature. */
  readonly header: string;
  readonly keys: (secret: string) => readonly Buffer[];
  /** A text says what is missing or malformed. */
  readonly claim: (request: HookRequest) => Claim | string;
  readonly headers: (delivery: UnsignedDelivery) => Readonly<Record<string, string>>;
}

export type WebhookScheme = 'standard' | 'github' | 'gitlab' | 'shopify' | 'slack' | 'stripe';

const signaturesMax = 20;

export const webhookSchemes: Readonly<Record<WebhookScheme, Scheme>> = {
  standard: {
    header: 'webhook-signature',
    keys: standardKeys,
    claim: standardClaim,
    headers: ({ id, body, secret, nowMs }) => {
      const timestamp = secondsOf(nowMs);
      const [key] = secret.startsWith('whsec_') ? standardKeys(secret) : [Buffer.from(secret)];
      const code = codeOf(key, `${id}.${timestamp}.${body}`).toString('base64');
      return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${code}` };
    },
  },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    header: 'x-hub-signature-256',
    keys: textKeys,
    claim: githubClaim,
    headers: ({ id, body, secret }) => ({
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${codeOf(Buffer.from(secret), body).toString('hex')}`,
    }),
  },
  // https://docs.gitlab.com/user/project/integrations/webhooks
  gitlab: {
    header: 'x-gitlab-token',
    keys: textKeys,
    claim: gitlabClaim,
    headers: ({ id, secret }) => ({ 'idempotency-key': id, 'x-gitlab-token': secret }),
  },
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: {
    header: 'x-shopify-hmac-sha256',
    keys: textKeys,
    claim: shopifyClaim,
    headers: ({ id, body, secret }) => ({
      'x-shopify-webhook-id': id,
      'x-shopify-hmac-sha256': codeOf(Buffer.from(secret), body).toString('base64'),
    }),
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    header: 'x-slack-signature',
    keys: textKeys,
    claim: slackClaim,
    headers: ({ body, secret, nowMs }) => {
      const timestamp = secondsOf(nowMs);
      const code = codeOf(Buffer.from(secret), `v0:${timestamp}:${body}`).toString('hex');
      return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${code}` };
    },
  },
  // https://docs.stripe.com/webhooks/signature
  stripe: {
    header: 'stripe-signature',
    keys: textKeys,
    claim: stripeClaim,
    headers: ({ body, secret, nowMs }) => {
      const timestamp = secondsOf(nowMs);
      const code = codeOf(Buffer.from(secret), `${timestamp}.${body}`).toString('hex');
      return { 'stripe-signature': `t=${timestamp},v1=${code}` };
    },
  },
};

/** `whsec_` and base64; or any text, which some senders use as it is and others as base64. */
function standardKeys(secret: string): readonly Buffer[] {
  const bare = secret.replace(/^whsec_/, '');
  const decoded = /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? [Buffer.from(bare, 'base64')] : [];
  return longEnough(bare === secret ? [Buffer.from(secret), ...decoded] : decoded);
}

function textKeys(secret: string): readonly Buffer[] {
  return longEnough([Buffer.from(secret)]);
}

const secondsOf = (ms: number): string => String(Math.floor(ms / 1_000));

function standardClaim({ headers, body }: HookRequest): Claim | string {
  const id = valueOf(headers, 'webhook-id');
  const timestamp = valueOf(headers, 'webhook-timestamp');
  const signatures = valueOf(headers, 'webhook-signature');
  const missing = missingOf({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures });
  if (missing !== undefined) return missing;
  if (!/^[\x21-\x7e]{1,255}$/.test(id)) return 'The header webhook-id is no printable text of at most 255 characters.';
  if (!isSeconds(timestamp)) return 'The header webhook-timestamp is no number of seconds.';
  const codes = signatures.split(' ', signaturesMax).flatMap((text) => {
    const [, code] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
    return code === undefined ? [] : [Buffer.from(code, 'base64')];
  });
  if (codes.length === 0) return 'The header webhook-signature has no signature of the form v1,<base64>.';
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return { content, codes, atS: Number(timestamp), id: () => id };
}

/**
 * GitHub signs neither a time nor the id of the delivery. With the id, two deliveries of one body are two; with the
 * signature, a body that someone else sends under the id of another delivery is not that delivery.
 */
function githubClaim({ headers, body }: HookRequest): Claim | string {
  const signature = valueOf(headers, 'x-hub-signature-256');
  if (signature === '') return 'The header X-Hub-Signature-256 is missing. Has the webhook a secret at GitHub?';
  const codes = hexCodes(/^sha256=([\da-f]{64})$/.exec(signature)?.[1]);
  if (codes.length === 0) return 'The header X-Hub-Signature-256 is not of the form sha256=<hex>.';
  const delivery = valueOf(headers, 'x-github-delivery');
  return { content: body, codes, id: () => (delivery === '' ? signature : `${delivery} ${signature}`) };
}

/** GitLab sends the secret itself, which proves nothing about the body. A retry has the same key. */
function gitlabClaim({ headers, body }: HookRequest): Claim | string {
  const token = valueOf(headers, 'x-gitlab-token');
  if (token === '') return 'The header X-Gitlab-Token is missing. Has the webhook a secret token at GitLab?';
  const delivery = valueOf(headers, 'idempotency-key') || valueOf(headers, 'x-gitlab-event-uuid');
  const id = (): string => `${delivery} ${createHash('sha256').update(body).digest('hex')}`.trimStart();
  // Right if the secret, as a key, gives the same code as the token does.
  return { content: body, codes: [codeOf(Buffer.from(token), body)], id };
}

function shopifyClaim({ headers, body }: HookRequest): Claim | string {
  const signature = valueOf(headers, 'x-shopify-hmac-sha256');
  if (signature === '') return 'The header X-Shopify-Hmac-Sha256 is missing.';
  if (!/^[A-Za-z0-9+/]{43}=$/.test(signature)) return 'The header X-Shopify-Hmac-Sha256 is no base64 of 32 bytes.';
  const delivery = valueOf(headers, 'x-shopify-webhook-id');
  const id = (): string => `${delivery} ${signature}`.trimStart();
  return { content: body, codes: [Buffer.from(signature, 'base64')], id };
}

function slackClaim({ headers, body }: HookRequest): Claim | string {
  const timestamp = valueOf(headers, 'x-slack-request-timestamp');
  const signature = valueOf(headers, 'x-slack-signature');
  const missing = missingOf({ 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': signature });
  if (missing !== undefined) return missing;
  if (!isSeconds(timestamp)) return 'The header X-Slack-Request-Timestamp is no number of seconds.';
  const codes = hexCodes(/^v0=([\da-f]{64})$/.exec(signature)?.[1]);
  if (codes.length === 0) return 'The header X-Slack-Signature is not of the form v0=<hex>.';
  const content = Buffer.concat([Buffer.from(`v0:${timestamp}:`), body]);
  return { content, codes, atS: Number(timestamp), id: () => slackId(body) ?? signature };
}

/** Events have an `event_id`, which a retry repeats; commands and interactions have a `trigger_id`. */
function slackId(body: Buffer): string | undefined {
  const text = body.toString();
  if (text.trimStart().startsWith('{')) return fieldOf(text, 'event_id') ?? fieldOf(text, 'trigger_id');
  const form = new URLSearchParams(text);
  return form.get('trigger_id') ?? fieldOf(form.get('payload') ?? '', 'trigger_id');
}

function stripeClaim({ headers, body }: HookRequest): Claim | string {
  const signature = valueOf(headers, 'stripe-signature');
  if (signature === '') return 'The header Stripe-Signature is missing.';
  const parts = signature.split(',', signaturesMax).map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  const codes = parts.flatMap(([name, code]) =>
    name === 'v1' && /^[\da-f]{64}$/.test(code ?? '') ? hexCodes(code) : [],
  );
  if (!isSeconds(timestamp) || codes.length === 0)
    return 'The header Stripe-Signature is not of the form t=<seconds>,v1=<hex>.';
  const content = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  return { content, codes, atS: Number(timestamp), id: () => fieldOf(body.toString(), 'id') ?? signature };
}

const valueOf = (headers: HookRequest['headers'], name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

function missingOf(headers: Readonly<Record<string, string>>): string | undefined {
  const missing = Object.keys(headers).filter((name) => headers[name] === '');
  if (missing.length === 0) return undefined;
  return missing.length === 1
    ? `The header ${missing[0]} is missing.`
    : `The headers ${missing.join(', ')} are missing.`;
}

const isSeconds = (text: string): boolean => /^\d{1,12}$/.test(text);

const hexCodes = (code: string | undefined): readonly Buffer[] =>
  code === undefined ? [] : [Buffer.from(code, 'hex')];

/** A text at the top of a JSON object. */
function fieldOf(json: string, name: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return typeof field === 'string' && field !== '' ? field : undefined;
  } catch {
    return undefined;
  }
}

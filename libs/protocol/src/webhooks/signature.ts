/**
 * Signs webhooks, and verifies their signature: Standard Webhooks (https://www.standardwebhooks.com) or GitHub's. The signature
 * covers the exact bytes of the body.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Allowed clock difference, and maximum age of a request. */
const windowMs = 5 * 60_000;
const signaturesMax = 20;

interface SignedDelivery {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The current secret and, while it is being replaced, the previous one. Each is accepted. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** The identity of this delivery; undefined if the signature is invalid. */
type Delivery = string | undefined;

export const schemes = { standard, github } as const;

export type WebhookScheme = keyof typeof schemes;

function standard({ headers, body, secrets, nowMs }: SignedDelivery): Delivery {
  const id = singleValue(headers['webhook-id']);
  const timestamp = singleValue(headers['webhook-timestamp']);
  const signatures = singleValue(headers['webhook-signature']);
  if (id === undefined || !/^[\x21-\x7e]{1,255}$/.test(id)) return undefined;
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return undefined;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = (signatures ?? '').split(' ', signaturesMax).flatMap((text) => {
    const [, code] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
    return code === undefined ? [] : [Buffer.from(code, 'base64')];
  });
  const isRight = isSigned(content, given, secrets.flatMap(standardKeys));
  return isRight && Math.abs(nowMs - Number(timestamp) * 1_000) <= windowMs ? id : undefined;
}

/**
 * GitHub signs only the body, neither time nor delivery id. So the signature is the identity: a body that is sent again
 * under another id is the same delivery.
 */
function github({ headers, body, secrets }: SignedDelivery): Delivery {
  const [, code] = /^sha256=([\da-f]{64})$/.exec(singleValue(headers['x-hub-signature-256']) ?? '') ?? [];
  const given = code === undefined ? [] : [Buffer.from(code, 'hex')];
  return isSigned(body, given, secrets.flatMap(githubKeys)) ? `sha256=${code}` : undefined;
}

/** Takes the same time whether or not a secret or a signature exists. */
function isSigned(content: Buffer, given: readonly Buffer[], keys: readonly Buffer[]): boolean {
  const expected = [noKey, ...keys].map((key) => createHmac('sha256', key).update(content).digest());
  const [, ...right] = expected;
  return [noKey, ...given]
    .map((one) => right.map((other) => timingSafeEqual(one, other)).includes(true))
    .includes(true);
}

const noKey = Buffer.alloc(32);

/** A shorter key can be guessed (RFC 2104, 3), and an empty key is known to all. */
export const hookKeyBytesMin = 16;

/** Whether a secret is long enough for one of the schemes. */
export const isHookKey = (secret: string, scheme: WebhookScheme): boolean =>
  (scheme === 'github' ? githubKeys(secret) : standardKeys(secret)).length > 0;

const githubKeys = (secret: string): readonly Buffer[] => longEnough([Buffer.from(secret)]);

const longEnough = (keys: readonly Buffer[]): readonly Buffer[] =>
  keys.filter(({ length }) => length >= hookKeyBytesMin);

/** `whsec_` and base64; or any text, which some senders use as it is and others as base64. */
function standardKeys(secret: string): readonly Buffer[] {
  const bare = secret.replace(/^whsec_/, '');
  const decoded = /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? [Buffer.from(bare, 'base64')] : [];
  return longEnough(bare === secret ? [Buffer.from(secret), ...decoded] : decoded);
}

const singleValue = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

interface UnsignedDelivery {
  /** Printable, without spaces, at most 255 characters. */
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly nowMs: number;
}

/** The headers that a sender signs with. The secret has to be long enough: `isHookKey`. */
export const signedHeaders = (scheme: WebhookScheme, delivery: UnsignedDelivery): Readonly<Record<string, string>> =>
  scheme === 'standard' ? standardHeaders(delivery) : githubHeaders(delivery);

/** The headers of Standard Webhooks. */
export function standardHeaders({ id, body, secret, nowMs }: UnsignedDelivery): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const [key = noKey] = secret.startsWith('whsec_') ? standardKeys(secret) : [Buffer.from(secret)];
  const code = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${code}` };
}

const githubHeaders = ({ id, body, secret }: UnsignedDelivery): Readonly<Record<string, string>> => ({
  'x-github-delivery': id,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

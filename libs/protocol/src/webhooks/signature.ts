/** Signs webhooks, and verifies their signatures. */
import { delayText } from '@baton/primitives';

import { isSigned } from './hmac.ts';
import { type HookRequest, type UnsignedDelivery, type WebhookScheme, webhookSchemes } from './schemes.ts';

/** Allowed clock difference, and maximum age of a request, where a scheme signs the time. */
const windowS = 5 * 60;

export interface SignedDelivery extends HookRequest {
  /** The current secret and, while it is being replaced, the previous one. Each is accepted. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

export type VerifiedDelivery =
  | { readonly id: string; readonly fault?: never }
  /** Why it is refused, in sentences for the owner of the hook. */
  | { readonly id?: never; readonly fault: string };

/** The identity of the delivery, by which a repetition is recognized. */
export function verifyDelivery(
  scheme: WebhookScheme,
  { headers, body, secrets, nowMs }: SignedDelivery,
): VerifiedDelivery {
  const { claim: claimOf, keys, header } = webhookSchemes[scheme];
  const claim = claimOf({ headers, body });
  const isMalformed = typeof claim === 'string';
  const content = isMalformed ? body : claim.content;
  const isRight = isSigned(content, isMalformed ? [] : claim.codes, secrets.flatMap(keys));
  if (isMalformed) return { fault: `${claim}${otherScheme(scheme, headers)}` };
  if (!isRight) return { fault: `The header ${header} is not the signature of this body with this secret.` };
  const awayS = Math.abs(nowMs / 1_000 - (claim.atS ?? nowMs / 1_000));
  if (awayS > windowS)
    return {
      fault: `It is signed, but its time is ${delayText(awayS * 1_000)} from now; ${delayText(windowS * 1_000)} is allowed.`,
    };
  return { id: claim.id() };
}

/** The scheme that the request is signed by instead. */
function otherScheme(scheme: WebhookScheme, headers: HookRequest['headers']): string {
  const found = Object.entries(webhookSchemes).find(([, { header }]) => headers[header] !== undefined);
  return found === undefined || found[0] === scheme
    ? ''
    : ` It has ${found[1].header}: write \`scheme: ${found[0]}\` in the trigger.`;
}

/** Whether a secret is long enough for the scheme. */
export const isHookKey = (secret: string, scheme: WebhookScheme): boolean =>
  webhookSchemes[scheme].keys(secret).length > 0;

/** The headers that a sender signs with. The secret has to be long enough: `isHookKey`. */
export const signedHeaders = (scheme: WebhookScheme, delivery: UnsignedDelivery): Readonly<Record<string, string>> =>
  webhookSchemes[scheme].headers(delivery);

/** The headers of Standard Webhooks. */
export const standardHeaders = webhookSchemes.standard.headers;

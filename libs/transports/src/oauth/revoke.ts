/** Revokes tokens at the authorization server (RFC 7009), so that copies stop working. Not every server supports it. */
import { cleanText } from '@baton/primitives';
import {
  assertSecureTokenEndpoint,
  selectClientAuthMethod,
  type OAuthClientInformationMixed,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

import type { StoredGrant } from './rememberedTokens.ts';

type Fetch = (url: URL | string, init: RequestInit) => Promise<Response>;

/** RFC 8414, section 2. */
const RevocationMetadataSchema = z.looseObject({
  revocation_endpoint: z.url(),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).default([]),
});

/** Why tokens may still be good. */
export interface RevocationProblem {
  /** A sentence. */
  readonly message: string;
  /** Another try would end no better. */
  readonly isLasting: boolean;
}

/** Undefined if the tokens are revoked. Never rejects. */
export async function revokeTokens(
  { tokens, discovery, client: registered }: StoredGrant,
  configured: OAuthClientInformationMixed | undefined,
  fetch: Fetch,
): Promise<RevocationProblem | undefined> {
  const offered = RevocationMetadataSchema.safeParse(discovery?.authorizationServerMetadata);
  const client = configured ?? registered;
  if (!offered.success || client === undefined)
    return { message: 'The authorization server does not offer revocation.', isLasting: true };
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = offered.data;
  // The refresh token first: revoking it also revokes the access tokens issued for it.
  const all = [
    ['refresh_token', tokens?.refresh_token],
    ['access_token', tokens?.access_token],
  ] as const;
  try {
    assertSecureTokenEndpoint(endpoint);
    for (const [kind, token] of all) {
      if (token === undefined) continue;
      const { status } = await fetch(endpoint, revocationRequest(kind, token, client, methods));
      // The server answers 200 for unknown tokens too (section 2.2).
      if (status === 200) continue;
      const message = `The authorization server did not revoke the tokens: it answered ${status}.`;
      return { message, isLasting: status < 500 && status !== 429 };
    }
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? cleanText(error.message, 200) : 'unknown';
    return { message: `The authorization server could not be reached: ${why}`, isLasting: false };
  }
}

function revocationRequest(
  kind: string,
  token: string,
  client: OAuthClientInformationMixed,
  methods: string[],
): RequestInit {
  const body = new URLSearchParams({ token, token_type_hint: kind });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
  const { client_id: id, client_secret: secret = '' } = client;
  const method = selectClientAuthMethod(client, methods);
  if (method === 'client_secret_basic') {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  } else {
    body.set('client_id', id);
    if (method === 'client_secret_post') body.set('client_secret', secret);
  }
  return { method: 'POST', headers, body };
}

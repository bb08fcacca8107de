/**
 * The OAuth provider that the SDK asks for, on top of the stored tokens. The SDK does discovery, PKCE, `iss` and
 * refreshing.
 */
import { randomBytes } from 'node:crypto';

import { defined } from '@baton/primitives';
import type { AuthPolicy } from '@baton/protocol';
import {
  createPrivateKeyJwtAuth,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';

import { isSameAddress } from './documents.ts';
import { type Login, loginHint, stateText } from './login.ts';
import type { RememberedTokens } from './rememberedTokens.ts';
import type { OAuthOptions } from './tokenStore.ts';

export interface ProviderOptions extends Omit<OAuthOptions, 'store'> {
  readonly server: string;
  readonly login: Login | undefined;
  readonly auth: AuthPolicy;
  readonly remembered: RememberedTokens;
  /** Called with the address where a person must agree; absent: no person is there. */
  readonly onLogin?: (url: URL) => void;
}

export const providerOf = (options: ProviderOptions): OAuthClientProvider =>
  options.auth.grant === 'code' ? personal(options, options.auth) : unattended(options, options.auth);

type CodeAuth = Extract<AuthPolicy, { grant: 'code' }>;
type UnattendedAuth = Exclude<AuthPolicy, { grant: 'code' }>;

function personal(
  { server, login, remembered, redirectUrl, clientMetadataUrl, onLogin }: ProviderOptions,
  auth: CodeAuth,
): OAuthClientProvider {
  const { clientId, clientSecret, scope } = auth;
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Baton',
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(clientId === undefined
      ? {}
      : { token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic' }),
    ...defined({ scope }),
  };
  const configured = configuredClient(auth);
  const metadataUrl = auth.clientMetadataUrl ?? clientMetadataUrl;
  return {
    redirectUrl: redirectUrl ?? 'about:blank',
    clientMetadata,
    ...defined({ clientMetadataUrl: metadataUrl }),
    async state() {
      const state = stateText(server, login?.key, randomBytes(24).toString('base64url'));
      await remembered.change({ state });
      return state;
    },
    clientInformation: async (asked) => configured ?? ofIssuer((await remembered.read()).client, asked),
    saveClientInformation: (client) => remembered.change({ client }),
    tokens: async (asked) => ofIssuer((await remembered.read()).tokens, asked),
    async saveTokens(tokens) {
      const before = await remembered.whole();
      // A logout happened while these tokens were being fetched.
      if (before.tokens === undefined && before.verifier === undefined)
        throw new UnauthorizedError(loginHint(server, login));
      await remembered.change({
        tokens,
        verifier: undefined,
        state: undefined,
        begunBy: undefined,
        challenge: undefined,
      });
    },
    redirectToAuthorization(url) {
      if (onLogin === undefined) throw new UnauthorizedError(loginHint(server, login));
      onLogin(url);
    },
    saveCodeVerifier: (verifier) => remembered.change({ verifier }),
    async codeVerifier() {
      const { verifier } = await remembered.read();
      if (verifier === undefined) throw new UnauthorizedError('No login is in progress.');
      return verifier;
    },
    saveDiscoveryState: (discovery) => remembered.change({ discovery }),
    discoveryState: async () => (await remembered.read()).discovery,
    async invalidateCredentials(scope) {
      if (scope === 'all' || scope === 'client') await remembered.change({ client: undefined });
      if (scope === 'all' || scope === 'tokens') await remembered.change({ tokens: undefined });
      if (scope === 'all' || scope === 'verifier') await remembered.change({ verifier: undefined });
      if (scope === 'all' || scope === 'discovery') await remembered.change({ discovery: undefined });
    },
  };
}

/** The configured OAuth client; undefined if there is none: then Baton registers itself. */
export function configuredClient({ clientId, clientSecret }: CodeAuth): OAuthClientInformationMixed | undefined {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...defined({ client_secret: clientSecret }) };
}

/** A provider with its own credentials and no person: it requests a new token whenever one is needed. */
function unattended({ remembered }: ProviderOptions, auth: UnattendedAuth): OAuthClientProvider {
  const { clientId, issuer, scope } = auth;
  const isKey = auth.grant === 'private-key-jwt';
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: 'Baton',
      redirect_uris: [],
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: isKey ? 'private_key_jwt' : 'client_secret_basic',
      ...defined({ scope }),
    },
    // The issuer is named by the operator: the server does not decide who gets these credentials.
    clientInformation: (asked) =>
      ofIssuer({ client_id: clientId, issuer, ...(isKey ? {} : { client_secret: auth.clientSecret }) }, asked),
    tokens: async (asked) => ofIssuer((await remembered.read()).tokens, asked),
    saveTokens: (tokens) => remembered.change({ tokens, challenge: undefined }),
    redirectToAuthorization() {
      throw new UnauthorizedError('The authorization server wants a person to agree.');
    },
    saveCodeVerifier: () => {},
    codeVerifier() {
      throw new UnauthorizedError('Baton has credentials of its own for this server: there is no log-in.');
    },
    prepareTokenRequest(wanted) {
      return new URLSearchParams({
        grant_type: 'client_credentials',
        ...defined({ scope: wanted }),
      });
    },
    ...(isKey
      ? {
          addClientAuthentication: createPrivateKeyJwtAuth({
            issuer: clientId,
            subject: clientId,
            privateKey: auth.privateKey,
            alg: auth.algorithm,
          }),
        }
      : {}),
  };
}

/** A slash at the end of the issuer that is asked about is no difference. */
function ofIssuer<Stamped extends { readonly issuer?: string | undefined }>(
  stored: Stamped | undefined,
  asked: { readonly issuer: string } | undefined,
): Stamped | undefined {
  const { issuer } = stored ?? {};
  const isSame = issuer !== undefined && asked !== undefined && isSameAddress(issuer, asked.issuer);
  return stored !== undefined && isSame ? { ...stored, issuer: asked.issuer } : stored;
}

/**
 * Log-in of Baton's own command at a Baton server: authorization code with PKCE and a loopback redirect (RFC 8252), or the
 * device flow (RFC 8628). The address is what a person typed, and may be anyone's: each endpoint must be below it, or it could
 * have the code of another Baton sent to itself.
 */
import * as openid from 'openid-client';

import { boundedFetch } from './boundedFetch.ts';
import { ownClientId } from './ownClient.ts';
import { ProviderFault, providerFault } from './providerFault.ts';

export interface LoginTokens {
  readonly access: string;
  /** Good for one renewal: a second one with it ends the log-in. */
  readonly refresh: string;
  /** Of the access token. */
  readonly lifeMs: number;
}

interface BrowserLogin {
  /** Where a person decides. */
  readonly goOn: URL;
  readonly state: string;
  /** `query`: of the address at which the browser came back. Rejects with `ProviderFault`. */
  readonly finish: (query: string) => Promise<LoginTokens>;
}

interface DeviceLogin {
  /** What the person types, and where. */
  readonly code: string;
  readonly page: URL;
  /** Resolves after the person decided. Rejects with `ProviderFault`, and with the reason of the signal. */
  readonly finish: (signal: AbortSignal) => Promise<LoginTokens>;
}

const answerSeconds = 10;
const metadataPath = '/.well-known/oauth-authorization-server';
const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
] as const;
/** Of OpenID Connect: Baton gives the command no identity token. */
const otherScopes: ReadonlySet<string> = new Set(['openid', 'offline_access']);

export class CommandLogin {
  readonly #base: string;
  readonly #host: string;
  readonly #configuration: openid.Configuration;

  private constructor(base: string, configuration: openid.Configuration) {
    this.#base = base;
    this.#host = new URL(base).host;
    this.#configuration = configuration;
  }

  /** `base`: origin and path prefix, without a slash at the end. Rejects with `ProviderFault`. */
  static async at(base: string): Promise<CommandLogin> {
    const { host, protocol } = new URL(base);
    const configuration = await asked(host, () =>
      openid.discovery(new URL(`${base}${metadataPath}`), ownClientId, undefined, openid.None(), {
        // The caller lets it be this machine alone.
        execute: protocol === 'http:' ? [openid.allowInsecureRequests] : [],
        timeout: answerSeconds,
        [openid.customFetch]: boundedFetch,
      }),
    );
    checkMetadata(configuration.serverMetadata(), base);
    return new CommandLogin(base, configuration);
  }

  async begin(redirectUri: string): Promise<BrowserLogin> {
    const [state, verifier] = [openid.randomState(), openid.randomPKCECodeVerifier()] as const;
    const goOn = openid.buildAuthorizationUrl(this.#configuration, {
      redirect_uri: redirectUri,
      ...this.#wanted(),
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const finish = (query: string): Promise<LoginTokens> =>
      this.#tokens(() => {
        const checks = { expectedState: state, pkceCodeVerifier: verifier };
        const address = new URL(`${redirectUri}?${query}`);
        const { resource } = this.#wanted();
        return openid.authorizationCodeGrant(this.#configuration, address, checks, { resource });
      });
    return { goOn, state, finish };
  }

  /** Rejects with `ProviderFault`. */
  async beginDevice(): Promise<DeviceLogin> {
    const begun = await asked(this.#host, () =>
      openid.initiateDeviceAuthorization(this.#configuration, this.#wanted()),
    );
    const page = URL.parse(begun.verification_uri);
    if (page === null || !isBelow(page.href, this.#base)) throw notItsOwn(this.#base);
    const finish = (signal: AbortSignal): Promise<LoginTokens> =>
      this.#tokens(() => openid.pollDeviceAuthorizationGrant(this.#configuration, begun, undefined, { signal }));
    return { code: begun.user_code, page, finish };
  }

  /** Rejects with `ProviderFault`; `ended`: the log-in is over. */
  renew(refresh: string): Promise<LoginTokens> {
    return this.#tokens(() => openid.refreshTokenGrant(this.#configuration, refresh));
  }

  /** Ends the log-in at the server. Rejects with `ProviderFault`. */
  revoke(refresh: string): Promise<void> {
    return asked(this.#host, () => openid.tokenRevocation(this.#configuration, refresh));
  }

  /** All that the server gives: the person chooses. */
  #wanted(): { readonly scope: string; readonly resource: string } {
    const { scopes_supported: scopes = [] } = this.#configuration.serverMetadata();
    const scope = scopes.filter((one) => !otherScopes.has(one)).join(' ');
    return { scope, resource: `${this.#base}/v1` };
  }

  async #tokens(ask: () => Promise<openid.TokenEndpointResponse>): Promise<LoginTokens> {
    const { access_token: access, refresh_token: refresh, expires_in: seconds } = await asked(this.#host, ask);
    if (refresh === undefined || seconds === undefined) throw notItsOwn(this.#base);
    return { access, refresh, lifeMs: seconds * 1_000 };
  }
}

async function asked<Answer>(host: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw providerFault(error, host);
  }
}

/** Throws `ProviderFault`. */
function checkMetadata(metadata: openid.ServerMetadata, base: string): void {
  const { issuer } = metadata;
  if (issuer !== base)
    throw new ProviderFault('wrong', `What answers at ${base} calls itself ${issuer.slice(0, 200)}: log in there.`);
  for (const name of endpoints) {
    const address = metadata[name];
    if (address === undefined)
      throw new ProviderFault('wrong', `${base} has no log-in for the baton command: it may be an older Baton.`);
    if (!isBelow(address, base)) throw notItsOwn(base);
  }
}

/** Whether an address is one of the server: no origin but its own, and no user in front of it. */
const isBelow = (address: string, base: string): boolean =>
  address.startsWith(`${base}/`) && URL.parse(address)?.href === address;

const notItsOwn = (base: string): ProviderFault =>
  new ProviderFault('wrong', `${base} does not answer as a Baton does: its log-in leads to another server.`);

/**
 * An identity provider, where people log in (OpenID Connect Core 1.0): authorization code with PKCE, state and nonce. The
 * library does the protocol, and compares issuer, audience, nonce and times; who may do what is decided by its caller.
 */
import { isObject, type JsonObject } from '@baton/primitives';
import * as openid from 'openid-client';

import { boundedFetch } from './boundedFetch.ts';
import { subjectFault } from './foreignIds.ts';
import { ProviderFault, providerFault } from './providerFault.ts';
import { rememberedFor } from './rememberedFor.ts';

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What is kept until the browser comes back. */
export interface LogInUnderWay {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Whom the provider vouches for. */
export interface Identity {
  readonly subject: string;
  /** Of the identity token and of the address for user information; undefined: it said nothing new. */
  readonly claims: JsonObject | undefined;
  /** With which it is asked again; undefined: it gave none. */
  readonly refreshToken: string | undefined;
}

const answerSeconds = 10;
const clockToleranceSeconds = 60;
/** How long what the provider says of itself is kept. */
const metadataMs = 3_600_000;
/** Asked for where the provider has them. */
const optionalScopes = ['profile', 'email', 'groups', 'offline_access'];

export class IdentityProvider {
  readonly issuer: string;
  /** As people know it. */
  readonly host: string;
  readonly #options: IdentityProviderOptions;
  readonly #configuration = rememberedFor(metadataMs, () => this.#discover());

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
    this.issuer = options.issuer;
    this.host = new URL(options.issuer).host;
  }

  /** Resolves to where the browser goes, and to what is kept until it comes back. Rejects with `ProviderFault`. */
  begin(redirectUri: string): Promise<{ readonly goOn: URL; readonly underWay: LogInUnderWay }> {
    return this.#asked(async (configuration) => {
      const [state, nonce, verifier] = [
        openid.randomState(),
        openid.randomNonce(),
        openid.randomPKCECodeVerifier(),
      ] as const;
      const offered = configuration.serverMetadata().scopes_supported ?? ['profile', 'email'];
      const goOn = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: ['openid', ...optionalScopes.filter((scope) => offered.includes(scope))].join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { goOn, underWay: { state, nonce, verifier, redirectUri } };
    });
  }

  /** `query`: of the address at which the browser came back. Rejects with `ProviderFault`. */
  finish(query: string, { state, nonce, verifier, redirectUri }: LogInUnderWay): Promise<Identity> {
    return this.#asked(async (configuration) => {
      const address = new URL(`${redirectUri}?${query}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const answer = await openid.authorizationCodeGrant(configuration, address, checks);
      const { sub: subject = '' } = answer.claims() ?? {};
      const fault = subjectFault(subject);
      if (fault !== undefined) throw new ProviderFault('wrong', `${this.host} ${fault}.`);
      return this.#identity(configuration, answer, subject);
    });
  }

  /**
   * Asks whether the provider still vouches for the subject. `fault`: it gave a token, and then did not answer. Rejects with
   * `ProviderFault`.
   */
  renew(refreshToken: string, subject: string): Promise<Identity & { readonly fault?: ProviderFault }> {
    return this.#asked(async (configuration) => {
      const answer = await openid.refreshTokenGrant(configuration, refreshToken);
      const other = answer.claims()?.sub;
      if (other !== undefined && other !== subject)
        throw new ProviderFault('ended', `${this.host} vouches for another person now.`);
      const next = answer.refresh_token ?? refreshToken;
      try {
        return { ...(await this.#identity(configuration, answer, subject)), refreshToken: next };
      } catch (error) {
        const fault = providerFault(error, this.host);
        // The token before is used up: the new one is kept, though the provider has not said who it is for.
        if (!(fault instanceof ProviderFault) || fault.kind !== 'away') throw error;
        return { subject, claims: undefined, refreshToken: next, fault };
      }
    });
  }

  async #identity(
    configuration: openid.Configuration,
    answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
    subject: string,
  ): Promise<Identity> {
    const ofToken: unknown = answer.claims();
    // The library compares the subject: one person's claims are no other's.
    const more: unknown =
      configuration.serverMetadata().userinfo_endpoint === undefined
        ? undefined
        : await openid.fetchUserInfo(configuration, answer.access_token, subject);
    const claims = [more, ofToken].filter(isObject);
    return {
      subject,
      claims: claims.length === 0 ? undefined : (Object.assign({}, ...claims) as JsonObject),
      refreshToken: answer.refresh_token,
    };
  }

  async #asked<Answer>(ask: (configuration: openid.Configuration) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.#configuration());
    } catch (error) {
      throw providerFault(error, this.host);
    }
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    // The setting allows it on this machine alone.
    const execute = url.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    const metadata = { [openid.clockTolerance]: clockToleranceSeconds };
    return openid.discovery(url, clientId, metadata, secretOf(clientSecret), {
      execute,
      timeout: answerSeconds,
      [openid.customFetch]: boundedFetch,
    });
  }
}

/** `client_secret_basic` is what a provider has that does not say (OpenID Connect Discovery 1.0, section 3). */
function secretOf(clientSecret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(clientSecret), openid.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

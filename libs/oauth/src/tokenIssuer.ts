/**
 * Another authorization server whose signed tokens are taken: access tokens (RFC 9068), and assertions of who a person is
 * (draft-ietf-oauth-identity-assertion-authz-grant). What a token gives is decided by the caller.
 */
import type { JsonObject } from '@baton/primitives';
import * as jose from 'jose';
import * as openid from 'openid-client';

import { boundedFetch } from './boundedFetch.ts';
import { subjectFault } from './foreignIds.ts';
import { ProviderFault, providerFault } from './providerFault.ts';
import { rememberedFor } from './rememberedFor.ts';

/** The types by which kinds of tokens are told apart; identity tokens have neither. */
const types = { access: 'at+jwt', assertion: 'oauth-id-jag+jwt' } as const;

export interface ExpectedToken {
  readonly kind: keyof typeof types;
  /** The one address or issuer that it is for. */
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Why a token is not taken, as a sentence about it. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  /** The issuer signed it, and its time is over: it is no guess. */
  readonly isOver: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isOver?: boolean } = {}) {
    super(message, options);
    this.isOver = options.isOver ?? false;
  }
}

/** Those with two keys alone: otherwise the published key would sign. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const clockToleranceSeconds = 30;
const answerMs = 5_000;
/** How long what the issuer says of itself, and its keys, are kept. */
const keptMs = 3_600_000;
/** The shortest interval between two looks for a key that is not known. */
const unknownKeyMs = 30_000;
/** How long it is not asked again after it did not answer. */
const awayMs = 5_000;

export class TokenIssuer {
  readonly issuer: string;
  /** As people know it. */
  readonly host: string;
  readonly #keys = rememberedFor(keptMs, () => this.#readKeys());
  #away: { readonly fault: ProviderFault; readonly until: number } | undefined;

  /** `issuer`: exactly as it calls itself. */
  constructor(issuer: string) {
    this.issuer = issuer;
    this.host = new URL(issuer).host;
  }

  /** Resolves to its claims, with `sub`. Rejects with `TokenRefusal`, and with `ProviderFault` where no keys are known. */
  async verify(token: string, { kind, audience, now }: ExpectedToken): Promise<JsonObject & { readonly sub: string }> {
    this.#checkForm(token, kind);
    try {
      const { payload } = await jose.jwtVerify(token, (header) => this.#keyFor(header), {
        issuer: this.issuer,
        audience,
        typ: types[kind],
        algorithms,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now),
        requiredClaims: ['sub', 'exp'],
      });
      // The library takes a token that is also for others; they could use it here.
      if ([payload.aud].flat().length !== 1) throw new TokenRefusal('It is for several addresses.');
      const { sub = '' } = payload;
      const fault = subjectFault(sub);
      if (fault !== undefined) throw new TokenRefusal(`It ${fault}.`);
      return { ...(payload as JsonObject), sub };
    } catch (error) {
      throw refusal(error, audience);
    }
  }

  /** What can be seen before any key is looked for. Throws `TokenRefusal`. */
  #checkForm(token: string, kind: ExpectedToken['kind']): void {
    const { header, claims } = decoded(token);
    const { alg, typ } = header;
    if (typeof alg !== 'string' || !algorithms.includes(alg))
      throw new TokenRefusal(`Its algorithm is ${named(alg)}; expected one of ${algorithms.join(', ')}.`);
    if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== types[kind])
      throw new TokenRefusal(`Its type (typ) is ${named(typ)}; expected ${types[kind]}.`);
    if (claims.iss !== this.issuer)
      throw new TokenRefusal(`Its issuer (iss) is ${named(claims.iss)}; expected exactly ${this.issuer}.`);
  }

  async #keyFor(header: jose.JWSHeaderParameters): Promise<jose.CryptoKey> {
    try {
      const keys = await this.#keys();
      return await keys(header);
    } catch (error) {
      if (isOfToken(error)) throw error;
      const known = providerFault(error, this.host);
      const fault = known instanceof ProviderFault ? known : strange(this.host, error);
      if (!this.#isAway) this.#away = { fault, until: performance.now() + awayMs };
      throw this.#away?.fault ?? fault;
    }
  }

  get #isAway(): boolean {
    return this.#away !== undefined && performance.now() < this.#away.until;
  }

  async #readKeys() {
    const issuer = new URL(this.issuer);
    const execute = issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    const discover = (algorithm: 'oauth2' | 'oidc') =>
      openid.discovery(issuer, 'baton', undefined, openid.None(), {
        algorithm,
        execute,
        timeout: answerMs / 1_000,
        [openid.customFetch]: (url, options) => this.#asked(url, options),
      });
    // RFC 8414, or OpenID Connect Discovery 1.0: an issuer has one of them, or both.
    const configuration = await Promise.any([discover('oauth2'), discover('oidc')]).catch((error: AggregateError) => {
      throw providerFault(error.errors[0], this.host);
    });
    const { issuer: itself, jwks_uri: address = '' } = configuration.serverMetadata();
    if (itself !== this.issuer) {
      const why = `${this.host} calls itself ${itself.slice(0, 200)}: write BATON_OAUTH_ISSUER exactly so.`;
      throw new ProviderFault('wrong', why);
    }
    const keys = URL.parse(address);
    if (keys === null || (keys.protocol !== 'https:' && keys.protocol !== issuer.protocol))
      throw new ProviderFault('wrong', `${this.host} does not say where its keys are (jwks_uri, over https:).`);
    return jose.createRemoteJWKSet(keys, {
      timeoutDuration: answerMs,
      cooldownDuration: unknownKeyMs,
      cacheMaxAge: keptMs,
      [jose.customFetch]: (url, { headers, ...options }) =>
        this.#asked(url, { ...options, headers: Object.fromEntries(headers), body: undefined }),
    });
  }

  /** An issuer that does not answer is not asked with each request. */
  async #asked(url: string, options: openid.CustomFetchOptions): Promise<Response> {
    if (this.#away !== undefined && this.#isAway) throw this.#away.fault;
    return boundedFetch(url, options);
  }
}

interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

function decoded(token: string): DecodedToken {
  try {
    return { header: jose.decodeProtectedHeader(token), claims: jose.decodeJwt(token) };
  } catch (cause) {
    throw new TokenRefusal('It is no signed token (JWT).', { cause });
  }
}

/** Errors of the library that are about the token, and not about the keys of the issuer. */
const isOfToken = (error: unknown): boolean =>
  error instanceof jose.errors.JWKSNoMatchingKey ||
  error instanceof jose.errors.JWKSMultipleMatchingKeys ||
  error instanceof jose.errors.JOSENotSupported;

function refusal(error: unknown, audience: string): unknown {
  if (!(error instanceof jose.errors.JOSEError)) return error;
  const isOver = error instanceof jose.errors.JWTExpired;
  return new TokenRefusal(isOver ? 'It has expired.' : sentence(error, audience), { cause: error, isOver });
}

function sentence(error: jose.errors.JOSEError, audience: string): string {
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    const { claim, payload } = error;
    if (claim === 'aud' && payload.aud !== undefined)
      return `It is for ${named([payload.aud].flat()[0])}; expected exactly ${audience}.`;
    return claim === 'nbf' ? 'It is not good yet.' : `Its claim ${named(claim)} is missing or wrong.`;
  }
  if (error instanceof jose.errors.JWKSNoMatchingKey) return 'Its issuer has no key of that name (kid).';
  if (error instanceof jose.errors.JWSSignatureVerificationFailed) return 'Its signature is wrong.';
  return 'It is not of the expected form.';
}

const strange = (host: string, cause: unknown): ProviderFault =>
  new ProviderFault('away', `${host} did not answer with its keys.`, { cause });

/** Of the text of another, the beginning, without what could end a header. */
const named = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 80) : 'missing';

/** A claim that is a list of words, as `scope` is; undefined: it is absent. Throws `TokenRefusal`. */
export function wordsIn(claims: JsonObject, claim: string): readonly string[] | undefined {
  const value = claims[claim];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new TokenRefusal(`Its claim ${claim} is no text.`);
  return value.split(' ').filter((word) => word !== '');
}

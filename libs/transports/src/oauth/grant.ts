/**
 * The authorisation for one server (OAuth 2.1 as in MCP 2025-11-25, authorization): a token for each request, a new
 * token when the old one expires, and a log-in when a person has to agree.
 *
 * Requests to authorization servers use the same HTTP client as all others, without the configured headers.
 */
import { timingSafeEqual } from 'node:crypto';

import { FailureError } from '@baton/engine';
import { cleanText, defined } from '@baton/primitives';
import { type AuthPolicy, type HttpServerConfig, digestOf } from '@baton/protocol';
import { type KnownSecrets, withoutLogin } from '@baton/runner';
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  UnauthorizedError,
  type AuthProvider,
  type InsufficientScopeError,
} from '@modelcontextprotocol/client';

import type { HttpAnswer } from '../http/answer.ts';
import { isRefusal } from '../http/httpFailure.ts';
import type { Fetcher } from '../http/serverHttpClient.ts';
import { comparedIssuer, NoOAuthError, OAuthDocuments } from './documents.ts';
import { type Login, loginHint } from './login.ts';
import { configuredClient, providerOf } from './provider.ts';
import { grantIn, RememberedTokens, type StoredGrant } from './rememberedTokens.ts';
import { type RevocationProblem, revokeTokens } from './revoke.ts';
import type { OAuthOptions } from './tokenStore.ts';

type Challenge = Awaited<ReturnType<RememberedTokens['read']>>['challenge'];

/** A login that is finished when the answer comes once more, with `proof` as its `confirm`. */
export interface Unconfirmed {
  /** Who began it. */
  readonly person: string;
  readonly proof: string;
}

export interface LogoutResult {
  readonly wasLoggedIn: boolean;
  /** Why the tokens may still work, as a sentence; undefined where they do not. */
  readonly problem: string | undefined;
}

const usualFreshMs = 60_000;
/** The login of a person ends with the person, and no call may be made with it afterwards. */
const personFreshMs = 5_000;
const usualTimeLimitMs = 30_000;

interface GrantParts {
  readonly fetcher: Fetcher;
  /** The secrets that are removed from answers of authorization servers, tokens included. */
  readonly known: KnownSecrets;
  /** Undefined: that of the installation. */
  readonly login: Login | undefined;
}

export class Grant implements AuthProvider {
  readonly #server: string;
  readonly #login: Login | undefined;
  readonly #url: string;
  readonly #auth: AuthPolicy;
  readonly #isWithHeaders: boolean;
  readonly #options: OAuthOptions;
  readonly #fetcher: Fetcher;
  readonly #known: KnownSecrets;
  readonly #remembered: RememberedTokens;
  readonly #documents = new OAuthDocuments();
  #renewing: Promise<void> | undefined;
  /** Why the last request for a token got no answer to it. */
  #outage: Error | undefined;

  /** `config`: with values in place of references. */
  constructor(config: HttpServerConfig, policy: AuthPolicy, options: OAuthOptions, parts: GrantParts) {
    const { fetcher, known, login } = parts;
    this.#server = config.name;
    this.#login = login;
    this.#url = config.url;
    this.#auth = policy;
    this.#isWithHeaders = Object.keys(config.headers).length > 0;
    this.#options = options;
    this.#fetcher = fetcher;
    this.#known = known;
    this.#remembered = new RememberedTokens(options.store, config, {
      freshMs: options.freshMs ?? (login === undefined ? usualFreshMs : personFreshMs),
      known,
      login: login?.key,
    });
  }

  async token(): Promise<string | undefined> {
    return (await this.#remembered.read()).tokens?.access_token;
  }

  /**
   * The token, read from the store anew where there was none: another process may have logged in. Rejects with
   * `FailureError` where there is no login: nothing was sent.
   */
  async loggedIn(): Promise<string> {
    const token = await this.#anyToken();
    if (token !== undefined) return token;
    const message = `${loginHint(this.#server, this.#login)}. Nothing was sent.`;
    throw new FailureError('server-unauthorized', message, { delivery: 'unsent', details: withoutLogin });
  }

  /** Whether there is no login. Rejects with what the store of tokens rejects with. */
  async isLoggedOut(): Promise<boolean> {
    return (await this.#anyToken()) === undefined;
  }

  async #anyToken(): Promise<string | undefined> {
    return (await this.token()) ?? (await this.#remembered.reread()).tokens?.access_token;
  }

  /** Handles a 401: renews the token. Rejects with `UnauthorizedError` if a person has to log in. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const refused = await this.token();
    // A request sent before the last renewal says nothing about the current token.
    const { authorization } = response as Response & Pick<HttpAnswer, 'authorization'>;
    if (refused !== undefined && authorization !== undefined && authorization !== `Bearer ${refused}`) return;
    this.#renewing ??= this.#renew(refused, challengeIn(response)).finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Handles a 403 of a valid token that lacks a scope: the next login requests that scope. Never rejects. */
  async insufficient({ requiredScope, resourceMetadataUrl }: InsufficientScopeError): Promise<void> {
    try {
      const { tokens } = await this.#remembered.read();
      const scope = computeScopeUnion(tokens?.scope, requiredScope);
      await this.#remembered.change({ challenge: challengeOf(scope, resourceMetadataUrl) });
      if (this.#auth.grant !== 'code') await this.#authorize(undefined);
    } catch {
      // The call has already failed with its own code.
    }
  }

  /** The address where a person agrees; undefined if no person is needed. Rejects with `FailureError`. */
  async login(): Promise<string | undefined> {
    if (this.#auth.grant === 'code' && this.#options.redirectUrl === undefined) {
      throw this.#refused('BATON_PUBLIC_URL is not set: people have no address to come back to.');
    }
    const { challenge } = await this.#remembered.reread();
    // The next login may need another authorization server: it is discovered anew.
    await this.#remembered.change({
      challenge: challenge ?? (await this.#ask()),
      discovery: undefined,
      begunBy: this.#login?.name,
    });
    let address: string | undefined;
    await this.#named(
      this.#authorize((url) => {
        address = url.href;
      }),
    );
    return address;
  }

  /**
   * Completes the log-in with the parameters of the authorization server's redirect. Returns what has to be confirmed
   * first: the browser may be that of another person, to whom the address was sent. Rejects with `FailureError`.
   */
  async finish(answer: URLSearchParams): Promise<Unconfirmed | undefined> {
    const { state = '', discovery, verifier, begunBy = 'another person' } = await this.#remembered.reread();
    const error = answer.get('error');
    if (!isSame(answer.get('state') ?? '', state))
      throw this.#refused('The answer belongs to no login that has begun.');
    if (error !== null)
      throw this.#refused(`${this.#shown(error, 80)} ${this.#shown(answer.get('error_description') ?? '', 400)}`);
    const code = answer.get('code');
    if (code === null) throw this.#refused('The answer holds no code.');
    // Known to none but the browser that was shown it.
    const proof = digestOf(['confirm', verifier ?? '', code]);
    if (this.#login !== undefined && answer.get('confirm') !== proof) return { person: begunBy, proof };
    const named = answer.get('iss');
    const iss = named === null ? {} : { iss: comparedIssuer(named, discovery?.authorizationServerMetadata) };
    await this.#named(this.#authorize(undefined, { authorizationCode: code, ...iss }));
    return undefined;
  }

  /** Forgets the tokens, and revokes them where the server supports it. Rejects with `FailureError`. */
  async logout(): Promise<LogoutResult> {
    if (this.#auth.grant !== 'code') throw this.#refused('Baton has credentials of its own, and no person to log out.');
    const memory = await this.#remembered.whole();
    await this.#remembered.forget();
    if (memory.tokens === undefined) return { wasLoggedIn: false, problem: undefined };
    return { wasLoggedIn: true, problem: (await this.#revoke(memory))?.message };
  }

  /**
   * Revokes the tokens of a login that is over. `text`: what was saved of it last. Undefined: no token of it is good any
   * more. Never rejects.
   */
  async revoke(text: string): Promise<RevocationProblem | undefined> {
    const memory = grantIn(text);
    if (memory?.tokens === undefined) return undefined;
    // The credentials of the client may be for the authorization server of the new address.
    if (memory.url !== this.#url)
      return { message: 'The server has another address than when they were given.', isLasting: true };
    return this.#revoke(memory);
  }

  async #revoke(memory: StoredGrant): Promise<RevocationProblem | undefined> {
    const configured = this.#auth.grant === 'code' ? configuredClient(this.#auth) : undefined;
    return revokeTokens(memory, configured, (url, init) => this.#fetch(url, init));
  }

  async #renew(refused: string | undefined, challenge: Challenge): Promise<void> {
    const { tokens } = await this.#remembered.reread();
    // Another process has renewed the token meanwhile.
    if (tokens !== undefined && tokens.access_token !== refused) return;
    await this.#remembered.change({ challenge });
    if (this.#auth.grant === 'code' && tokens?.refresh_token === undefined) {
      // The server did not mention OAuth, and headers are configured: perhaps it rejected these.
      const isPlain = this.#isWithHeaders && challenge?.resourceMetadataUrl === undefined && tokens === undefined;
      const hint = loginHint(this.#server, this.#login);
      // Calls then wait for the next login of the person.
      if (this.#login !== undefined && tokens !== undefined) await this.#remembered.change({ tokens: undefined });
      throw new UnauthorizedError(
        isPlain
          ? `it answered 401 and said nothing of OAuth. If it has OAuth: ${hint[0]?.toLowerCase()}${hint.slice(1)}`
          : hint,
      );
    }
    try {
      await this.#authorize(undefined);
    } catch (error) {
      // Another process may have renewed the token during this request.
      const now = (await this.#remembered.reread()).tokens?.access_token;
      if (now !== undefined && now !== refused) return;
      if (this.#remembered.isStoreFault(error))
        throw this.#unreached(new Error('Baton’s own store failed', { cause: error }));
      // The SDK takes an outage of the token address for the end of the login.
      if (this.#outage !== undefined) throw this.#unreached(this.#outage);
      throw isRefusal(error) ? error : this.#unreached(error);
    }
  }

  async #authorize(
    onLogin: ((url: URL) => void) | undefined,
    answer: { readonly authorizationCode?: string; readonly iss?: string } = {},
  ): Promise<void> {
    this.#outage = undefined;
    const { challenge } = await this.#remembered.read();
    const { redirectUrl, clientMetadataUrl } = this.#options;
    const provider = providerOf({
      server: this.#server,
      login: this.#login,
      auth: this.#auth,
      remembered: this.#remembered,
      ...defined({ redirectUrl, clientMetadataUrl, onLogin }),
    });
    await auth(provider, {
      serverUrl: this.#url,
      ...answer,
      ...(challenge?.scope === undefined ? {} : { scope: challenge.scope }),
      ...(challenge?.resourceMetadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: new URL(challenge.resourceMetadataUrl) }),
      forceReauthorization: onLogin !== undefined,
      fetchFn: (url, init) => this.#ofAuthority(new URL(url), init),
    });
  }

  /** An answer of an authorization server. */
  async #ofAuthority(url: URL, init: RequestInit | undefined): Promise<Response> {
    const isOfToken = init?.body instanceof URLSearchParams && init.body.has('grant_type');
    try {
      const answer = await this.#fetch(url, init);
      const { statusText, headers } = answer;
      if (isOfToken && isOutage(answer.status)) {
        this.#outage = new Error(`${url.origin}${url.pathname} answered ${answer.status}`);
      }
      const { status, text } = this.#documents.read(url, answer.status, await answer.text());
      return new Response(bodiless.has(status) ? null : text, { status, statusText, headers });
    } catch (error) {
      if (isOfToken && error instanceof Error && !(error instanceof NoOAuthError)) this.#outage = error;
      throw error;
    }
  }

  /** Returns a real `Response`: the SDK checks the class. */
  async #fetch(url: URL | string, init: RequestInit | undefined): Promise<Response> {
    const signal = AbortSignal.timeout(this.#options.timeLimitMs ?? usualTimeLimitMs);
    const answer = await this.#fetcher.fetch(url, { ...init, signal });
    const { status, statusText, headers } = answer;
    const text = await answer.text();
    return new Response(bodiless.has(status) ? null : text, { status, statusText, headers });
  }

  /** Sends a request without a token, and reads the challenge in the answer. */
  async #ask(): Promise<Challenge> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' });
    const answer = await this.#fetch(this.#url, { method: 'POST', headers, body });
    return challengeIn(answer);
  }

  async #named(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#remembered.isStoreFault(error)) throw error;
      throw this.#refused(error instanceof Error ? withRemedy(this.#shown(error.message, 400)) : 'unknown', error);
    }
  }

  /** Text of another system, cleaned and shortened. */
  #shown(text: string, charactersMax: number): string {
    return cleanText(this.#known.redactor.text(text), charactersMax);
  }

  /** The failure when the authorization server gave no usable answer. The original request did not run. */
  #unreached(cause: unknown): FailureError {
    const why = cause instanceof Error ? this.#shown(cause.message, 400) : 'unknown';
    const message = `No token for the server "${this.#server}" could be had: ${why}`;
    return new FailureError('server-unreachable', message, { delivery: 'rejected', cause });
  }

  #refused(why: string, cause?: unknown): FailureError {
    return new FailureError('server-unauthorized', `No authorisation for the server "${this.#server}": ${why.trim()}`, {
      delivery: 'unsent',
      cause,
    });
  }
}

const isOutage = (status: number): boolean => status >= 500 || status === 429;

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function challengeIn(response: Response): Challenge {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return challengeOf(scope, resourceMetadataUrl);
}

const challengeOf = (scope: string | undefined, url: URL | undefined): NonNullable<Challenge> => ({
  ...defined({ scope }),
  ...(url === undefined ? {} : { resourceMetadataUrl: url.href }),
});

const isSame = (one: string, other: string): boolean =>
  one !== '' && one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Names the keys that help, for `auth` of the server in `mcp.json`. */
const withRemedy = (message: string): string =>
  /dynamic client registration/i.test(message)
    ? `${message}. Register Baton there by hand, and write what you get into mcp.json: "auth": { "grant": "code", "clientId": "…" }, or "clientMetadataUrl"`
    : message;

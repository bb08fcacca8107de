/**
 * The session cookie, and what a request with one must prove: a browser sends the cookie with every request, also with
 * one from a page on another port of the same host.
 */
import { ProblemError, sessionCookie } from '@baton/api';
import { sessionMs } from '@baton/control';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

import { pathIn } from './addresses.ts';
import { ownOrigins } from './publicUrl.ts';

type CookieRequest = Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'protocol' | 'host'>;

export interface SessionCookieOptions {
  readonly publicUrl: string | undefined;
  /** The path of the page, without a slash at the end. */
  readonly basePath: string;
}

/** Methods that change nothing. */
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export class SessionCookie {
  readonly #options: SessionCookieOptions;

  constructor(options: SessionCookieOptions) {
    this.#options = options;
  }

  /** The content of the cookie, if the address is one of the API. */
  in({ headers: { cookie }, url }: CookieRequest): string | undefined {
    if (cookie === undefined || !pathIn(url).startsWith('/v1/')) return undefined;
    return parseCookie(cookie)[sessionCookie] || undefined;
  }

  /** The `Set-Cookie` header. An empty token deletes the cookie. */
  of(request: CookieRequest, token: string): string {
    return stringifySetCookie({
      name: sessionCookie,
      value: token,
      path: this.#options.basePath || '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: ownOrigins(request, this.#options.publicUrl).some((origin) => origin.startsWith('https:')),
      maxAge: token === '' ? 0 : sessionMs / 1_000,
    });
  }

  /** Throws `ProblemError` unless the request came from our own page. */
  checkOrigin(request: CookieRequest): void {
    const { method } = request;
    if (this.#isFromOwnPage(request) ?? readingMethods.has(method)) return;
    throw new ProblemError(
      'origin-refused',
      'A request with the cookie of a session must come from the page of this installation. Set BATON_PUBLIC_URL, or BATON_TRUSTED_PROXIES, if it did; programs send a key.',
    );
  }

  /** Throws `ProblemError` if another page sent the request. Requests of programs come from no page. */
  checkLogin(request: CookieRequest): void {
    if (this.#isFromOwnPage(request) ?? true) return;
    throw new ProblemError('origin-refused', 'A page of another origin sent this request.');
  }

  /** Undefined if the request does not say. `none`: a person typed the address. */
  #isFromOwnPage(request: CookieRequest): boolean | undefined {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site === 'same-origin') return true;
    if (site === 'none') return readingMethods.has(request.method);
    if (site !== undefined) return false;
    return origin === undefined ? undefined : ownOrigins(request, this.#options.publicUrl).includes(origin);
  }
}

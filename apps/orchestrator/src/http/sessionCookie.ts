/**
 * The cookie of a browser's session, and what a request must show that comes with one: a browser sends a cookie
 * with every request, also with one of a page on another port of the same host.
 */
import { ProblemError, sessionCookie } from '@baton/api';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

import { sessionMs } from '../keys/loginSessions.ts';
import { pathIn } from './addresses.ts';
import { ownOrigins } from './ownOrigins.ts';

type CookieRequest = Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'protocol' | 'host'>;

export interface SessionCookieOptions {
  readonly publicUrl: string | undefined;
  /** Path under which the page is, without a slash at its end. */
  readonly basePath: string;
}

/** Methods that change nothing. */
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export class SessionCookie {
  readonly #options: SessionCookieOptions;

  constructor(options: SessionCookieOptions) {
    this.#options = options;
  }

  /** What the cookie of the request holds, where the address is one of the API. */
  in({ headers: { cookie }, url }: CookieRequest): string | undefined {
    if (cookie === undefined || !pathIn(url).startsWith('/v1/')) return undefined;
    return parseCookie(cookie)[sessionCookie] || undefined;
  }

  /** The text of the header that sets it. An empty token takes it away. */
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

  /** Throws `ProblemError` where the request did not come from our own page. */
  checkOrigin(request: CookieRequest): void {
    const { method } = request;
    if (this.#isFromOwnPage(request) ?? readingMethods.has(method)) return;
    throw new ProblemError(
      'origin-refused',
      'A request with the cookie of a session must come from the page of this installation. Set BATON_PUBLIC_URL, or BATON_TRUSTED_PROXIES, if it did; programs send a key.',
    );
  }

  /** Throws `ProblemError` where another page sent the request. Programs are no page. */
  checkLogin(request: CookieRequest): void {
    if (this.#isFromOwnPage(request) ?? true) return;
    throw new ProblemError('origin-refused', 'A page of another origin sent this request.');
  }

  /** Undefined where the request does not say. `none`: a person typed the address. */
  #isFromOwnPage(request: CookieRequest): boolean | undefined {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site === 'same-origin') return true;
    if (site === 'none') return readingMethods.has(request.method);
    if (site !== undefined) return false;
    return origin === undefined ? undefined : ownOrigins(request, this.#options.publicUrl).includes(origin);
  }
}

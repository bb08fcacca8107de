/** Log-in at an identity provider: the browser goes there, and comes back. */
import { LogInRefusal, type ProviderLogins } from '@baton/control';
import { noticePage } from '@baton/oauth';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { AppParts } from '../../appParts.ts';
import { issuerOf } from '../../http/bearer.ts';
import type { App } from '../../http/edge.ts';
import type { SessionCookie } from '../../http/sessionCookie.ts';

export interface ProviderLoginRouteOptions extends Pick<AppParts, 'publicUrl'> {
  readonly basePath: string;
  readonly cookie: SessionCookie;
  /** Undefined: no identity provider is set up. */
  readonly logins: ProviderLogins | undefined;
}

const startPath = '/oidc/login';
const returnPath = '/oidc/callback';
const cookieName = 'baton_log_in';
const cookieSeconds = 600;

export function providerLoginRoutes(app: App, options: ProviderLoginRouteOptions): void {
  const { logins } = options;
  if (logins === undefined) return;
  const config = { access: 'public' } as const;
  // No HEAD: each request begins something, or ends it.
  app.get(startPath, { config, exposeHeadRoute: false }, (request, reply) =>
    noticing(options, reply, () => begin(options, logins, request, reply)),
  );
  app.get(returnPath, { config, exposeHeadRoute: false }, (request, reply) =>
    noticing(options, reply, () => finish(options, logins, request, reply)),
  );
}

type Answer = Promise<FastifyReply>;

async function begin(
  { publicUrl, basePath, cookie }: ProviderLoginRouteOptions,
  logins: ProviderLogins,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer {
  // A page of another site begins no log-in here.
  cookie.checkLogin(request);
  const { to } = request.query as { readonly to?: unknown };
  const issuer = issuerOf(request, publicUrl);
  const { goOn, browser } = await logins.begin(`${issuer}${returnPath}`, pageIn(to), request.ip);
  // Lax, as the browser comes back from another site.
  const kept = stringifySetCookie({
    name: cookieName,
    value: browser,
    path: `${basePath}/oidc`,
    httpOnly: true,
    sameSite: 'lax',
    secure: issuer.startsWith('https:'),
    maxAge: cookieSeconds,
  });
  return reply.header('set-cookie', kept).redirect(goOn.href, 303);
}

async function finish(
  { publicUrl, basePath, cookie }: ProviderLoginRouteOptions,
  logins: ProviderLogins,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer {
  const [, query = ''] = request.url.split('?');
  const browser = parseCookie(request.headers.cookie ?? '')[cookieName];
  const { token, page } = await logins.finish(query, browser);
  const over = stringifySetCookie({ name: cookieName, value: '', path: `${basePath}/oidc`, maxAge: 0 });
  return reply
    .headers({ 'set-cookie': [cookie.of(request, token), over], 'referrer-policy': 'no-referrer' })
    .redirect(`${issuerOf(request, publicUrl)}${page}`, 303);
}

/** A path of the page, and no other address. */
const pageIn = (to: unknown): string =>
  typeof to === 'string' && to.length <= 200 && /^(?:\/[\w~-][\w.~-]*)+$/.test(to) ? to : '/';

/** A person reads the answer, and no program. */
async function noticing({ basePath }: ProviderLoginRouteOptions, reply: FastifyReply, answer: () => Answer): Answer {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof LogInRefusal)) throw error;
    const link = { text: 'Back to the log-in', address: `${basePath}/` };
    const { body, headers } = noticePage({ title: error.title, said: [error.message], link });
    return reply.code(error.status).headers(headers).type('text/html; charset=utf-8').send(body);
  }
}

/**
 * Routes to log in to a server with OAuth, where a person agrees in a browser that then returns here, and to log out.
 */
import { type ServerLogin, type ServerLogout, routes, ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import { cleanText, defined } from '@baton/primitives';
import { type Store, noteServerAccess } from '@baton/store';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export const callbackPath = '/oauth/callback';

export interface ServerLoginOptions {
  readonly store: Store;
  readonly servers: Pick<Servers, 'takesLogins' | 'login' | 'finishLogin' | 'logout'>;
  /** Throws `ProblemError` for an unknown server. */
  readonly nameOf: (name: string) => string;
}

export function serverLoginRoutes(app: App, { store, servers, nameOf }: ServerLoginOptions): void {
  const loginNameOf = async (given: string): Promise<string> => {
    const name = nameOf(given);
    if (await servers.takesLogins(name)) return name;
    const detail = `The server "${name}" takes no log-in: it is a process, or its token is configured.`;
    throw new ProblemError('conflict', detail);
  };
  route(app, routes.loginToServer, async ({ params, principal }): Promise<ServerLogin> => {
    const name = await loginNameOf(params.name);
    const url = await servers.login(name);
    await noteServerAccess(store, 'server.login', name, principal.by);
    return url === undefined ? { status: 'connected' } : { url };
  });
  route(app, routes.logoutOfServer, async ({ params, principal }): Promise<ServerLogout> => {
    const name = await loginNameOf(params.name);
    const { wasLoggedIn, problem } = await servers.logout(name);
    if (!wasLoggedIn) return { status: 'not-logged-in' };
    await noteServerAccess(store, 'server.logout', name, principal.by);
    return { status: 'logged-out', ...defined({ problem }) };
  });
  // The browser has no key here; `state` authenticates it. No HEAD, since a code can be used once.
  app.get(callbackPath, { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    const { status, text } = await finishLogin(servers, request.url);
    // Plain text, because HTML could contain what an attacker wrote into the address. No referrer, which would leak it.
    return reply
      .code(status)
      .headers({ 'referrer-policy': 'no-referrer' })
      .type('text/plain; charset=utf-8')
      .send(text);
  });
}

interface LoginPage {
  readonly status: number;
  readonly text: string;
}

/** Converts a `FailureError`; rejects with any other error. */
async function finishLogin(servers: ServerLoginOptions['servers'], address: string): Promise<LoginPage> {
  try {
    const name = await servers.finishLogin(new URL(address, 'http://here').searchParams);
    return { status: 200, text: `Baton may use the server "${name}" now. This page can be closed.\n` };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const why = cleanText(error.failure.message, 500);
    return { status: 400, text: `${why}\n\nThe log-in failed. Begin again: baton servers login NAME\n` };
  }
}

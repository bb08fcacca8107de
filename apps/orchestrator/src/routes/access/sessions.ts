/** Routes of browser sessions: log in with a key or a code, show, log out. */
import { instant, limitUsual, ProblemError, routes, type Session } from '@baton/api';
import type { LoginSessions, SessionPrincipal, Principal } from '@baton/control';
import type { Clock } from '@baton/runner';
import { type Store, listLoginSessions } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';
import type { SessionCookie } from '../../http/sessionCookie.ts';

export interface SessionOptions {
  readonly store: Store;
  readonly sessions: LoginSessions;
  readonly cookie: SessionCookie;
  readonly clock: Clock;
}

export function sessionRoutes(app: App, options: SessionOptions): void {
  ownRoutes(app, options);
  const { store, sessions, clock } = options;
  route(app, routes.listSessions, async ({ query: { limit = limitUsual, cursor } }) => {
    const cursors = new Cursors('sessions', {});
    const after = cursors.read(cursor, (text) => text !== '');
    const all = await listLoginSessions(store, clock.now());
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const page = all.slice(from, from + limit);
    const last = page.at(-1);
    const next = last !== undefined && from + limit < all.length ? { nextCursor: cursors.write(last.id) } : {};
    const data = page.map(({ id, keyId, keyName, createdAt, expiresAt }) => ({
      id,
      key: { id: keyId, name: keyName },
      createdAt: instant(createdAt),
      expiresAt: instant(expiresAt),
    }));
    return { data, ...next };
  });
  route(app, routes.endSession, async ({ params: { id }, principal }, reply) => {
    if (!(await sessions.end(id, principal.by)))
      throw new ProblemError('not-found', `There is no session ${JSON.stringify(id.slice(0, 80))}.`);
    return reply.code(204).send(null);
  });
}

function ownRoutes(app: App, { sessions, cookie }: SessionOptions): void {
  route(app, routes.logIn, async (request, reply) => {
    cookie.checkLogin(request);
    const { principal, token } = await sessions.logIn(request.body, request.ip);
    reply.header('set-cookie', cookie.of(request, token));
    return toSession(principal);
  });
  route(app, routes.getSession, async ({ principal }) => toSession(ofSession(principal)));
  route(app, routes.logOut, async (request, reply) => {
    const { session, by } = ofSession(request.principal);
    await sessions.end(session.id, by);
    return reply.code(204).header('set-cookie', cookie.of(request, '')).send(null);
  });
  route(app, routes.createLoginCode, async ({ principal }, reply) => {
    const { code, expiresAt } = await sessions.createCode(principal);
    reply.code(201);
    return { code, expiresAt: instant(expiresAt) };
  });
}

/** Throws `ProblemError`. */
function ofSession(principal: Principal): SessionPrincipal {
  const { session } = principal;
  if (session !== undefined) return { ...principal, session };
  throw new ProblemError('not-found', 'The request has an API key, not the cookie of a session.');
}

const toSession = ({ id, name, scopes, workflows, effects, session }: SessionPrincipal): Session => ({
  id: session.id,
  key: { id, name },
  scopes: [...scopes],
  ...(workflows && { workflows: [...workflows] }),
  ...(effects && { effects }),
  expiresAt: instant(session.expiresAt),
});

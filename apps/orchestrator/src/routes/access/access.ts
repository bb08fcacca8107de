/** Routes of keys, people, secrets, budgets, and browser sessions. */
import { routes, secretNameForm } from '@baton/api';
import { type LoginSessions, control, shownLoginSession } from '@baton/control';
import { defined } from '@baton/primitives';

import type { AppParts } from '../../appParts.ts';
import type { App } from '../../http/edge.ts';
import { etagOf, replacing } from '../../http/preconditions.ts';
import { route, serve, serveAsIs, serveList } from '../../http/route.ts';
import type { SessionCookie } from '../../http/sessionCookie.ts';

type KeyOptions = Parameters<typeof control.createKey>[0];

export function keyRoutes(app: App, options: KeyOptions): void {
  serveList(app, control.listKeys, options, { list: 'keys', isPlace, shown: (key) => key });
  serveAsIs(app, control.getKey, options);
  serve(app, control.createKey, options, {
    input: ({ body }) => body,
    answer: (key, reply) => {
      reply.code(201).header('location', `/v1/keys/${key.id}`);
      return key;
    },
  });
  serveAsIs(app, control.revokeKey, options);
}

type PersonOptions = Parameters<typeof control.addPerson>[0];

export function personRoutes(app: App, options: PersonOptions): void {
  serveList(app, control.listPeople, options, { list: 'people', isPlace, shown: (person) => person });
  serve(app, control.addPerson, options, {
    input: ({ body }) => body,
    answer: (person, reply) => {
      reply.code(201).header('location', `/v1/people/${person.id}`);
      return person;
    },
  });
  serveAsIs(app, control.getPerson, options);
  serveAsIs(app, control.removePerson, options);
  serveAsIs(app, control.restorePerson, options);
  serve(app, control.createPersonLink, options, {
    input: ({ params }) => params,
    answer: (link, reply) => {
      reply.code(201);
      return link;
    },
  });
  serve(app, control.grantRole, options, {
    input: ({ params, body: { role, on, effects } }) => ({ ...params, role, ...defined({ on, effects }) }),
    answer: (person) => person,
  });
  serveAsIs(app, control.revokeGrant, options);
  serve(app, control.listRoles, options, { input: () => undefined, answer: (roles) => roles });
}

export function secretRoutes(app: App, options: Pick<AppParts, 'store' | 'vault' | 'secrets'>): void {
  const isName = (text: string): boolean => secretNameForm.test(text);
  serveList(app, control.listSecrets, options, { list: 'secrets', isPlace: isName, shown: (secret) => secret });
  serve(app, control.getSecret, options, {
    input: ({ params }) => params,
    answer: (secret, reply) => {
      reply.header('etag', etagOf(secret.version));
      return secret;
    },
  });
  route(app, routes.setSecret, async ({ params, body, headers, principal }, reply) => {
    const set = await replacing(headers, (mayReplace) =>
      control.setSecret(options, principal, { ...params, ...body, mayReplace }),
    );
    reply.code(set.version === 1 ? 201 : 200).header('etag', etagOf(set.version));
    return set;
  });
  route(app, routes.deleteSecret, async ({ params, headers, principal }, reply) => {
    await replacing(headers, (mayReplace) => control.deleteSecret(options, principal, { ...params, mayReplace }));
    return reply.code(204).send(null);
  });
}

export function budgetRoutes(app: App, options: Pick<AppParts, 'store' | 'clock' | 'budgets'>): void {
  serve(app, control.listBudgets, options, { input: () => undefined, answer: (budgets) => budgets });
  serve(app, control.setBudget, options, {
    input: ({ params, body }) => ({ ...params, ...body }),
    answer: ({ budget, isNew }, reply) => {
      reply.code(isNew ? 201 : 200);
      return budget;
    },
  });
  serveAsIs(app, control.removeBudget, options);
}

export interface SessionOptions extends Pick<AppParts, 'store' | 'clock'> {
  readonly sessions: LoginSessions;
  readonly cookie: SessionCookie;
}

export function sessionRoutes(app: App, options: SessionOptions): void {
  const { sessions, cookie } = options;
  route(app, routes.logIn, async (request, reply) => {
    cookie.checkLogin(request);
    const { principal, token } = await sessions.logIn(request.body, request.ip);
    reply.header('set-cookie', cookie.of(request, token));
    return shownLoginSession(principal);
  });
  serveAsIs(app, control.getSession, options);
  serveAsIs(app, control.whoAmI, options);
  serve(app, control.logOut, options, {
    input: () => undefined,
    answer: (_done, reply, request) => reply.code(204).header('set-cookie', cookie.of(request, '')).send(null),
  });
  serve(app, control.createLoginCode, options, {
    input: () => undefined,
    answer: (code, reply) => {
      reply.code(201);
      return code;
    },
  });
  serveList(app, control.listSessions, options, { list: 'sessions', isPlace, shown: (session) => session });
  serveAsIs(app, control.endSession, options);
}

/** An id. */
const isPlace = (text: string): boolean => text !== '';

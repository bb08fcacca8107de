/** Operations of browser sessions: show, log out, list. Logging in needs no key, and is none of them. */
import { instant, ProblemError, routes } from '@baton/api';
import type { Clock } from '@baton/runner';
import { type Store, listLoginSessions } from '@baton/store';

import type { LoginSessions, SessionPrincipal } from '../keys/loginSessions.ts';
import type { Principal } from '../keys/scopes.ts';
import { shownCaller } from '../shapes/caller.ts';
import { shownLoginSession } from '../shapes/loginSession.ts';
import { ofInstallation } from './operation.ts';
import { type PageInput, pageIn } from './page.ts';
import type { ById } from './reach.ts';

interface SessionParts {
  readonly sessions: LoginSessions;
}

export const getSession = ofInstallation(routes.getSession, async (_parts: unknown, _input: unknown, caller) =>
  shownLoginSession(ofSession(caller)),
);

export const whoAmI = ofInstallation(routes.whoAmI, async (_parts: unknown, _input: unknown, caller) =>
  shownCaller(caller),
);

export const logOut = ofInstallation(
  routes.logOut,
  async ({ sessions }: SessionParts, _input: unknown, caller): Promise<void> => {
    const { session, by } = ofSession(caller);
    await sessions.end(session.id, by);
  },
);

export const createLoginCode = ofInstallation(
  routes.createLoginCode,
  async ({ sessions }: SessionParts, _input: unknown, caller) => {
    const { code, expiresAt } = await sessions.createCode(caller);
    return { code, expiresAt: instant(expiresAt) };
  },
);

/** Newest first. */
export const listSessions = ofInstallation(
  routes.listSessions,
  async ({ store, clock }: { readonly store: Store; readonly clock: Clock }, page: PageInput) => {
    const { data, next } = pageIn(await listLoginSessions(store, clock.now()), page);
    const shown = data.map(({ id, keyId, name, isPersons, createdAt, expiresAt }) => ({
      id,
      [isPersons ? 'person' : 'key']: { id: keyId, name },
      createdAt: instant(createdAt),
      expiresAt: instant(expiresAt),
    }));
    return { data: shown, next };
  },
);

export const endSession = ofInstallation(
  routes.endSession,
  async ({ sessions }: SessionParts, { id }: ById, { by }): Promise<void> => {
    if (!(await sessions.end(id, by)))
      throw new ProblemError('not-found', `There is no session ${JSON.stringify(id.slice(0, 80))}.`);
  },
);

/** Throws `ProblemError`. */
function ofSession(caller: Principal): SessionPrincipal {
  const { session } = caller;
  if (session !== undefined) return { ...caller, session };
  throw new ProblemError('not-found', 'The request has an API key, not the cookie of a session.');
}

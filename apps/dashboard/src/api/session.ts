/** The session of the browser. The page never stores the key: the server sets a cookie that scripts cannot read. */
import { type BodyOf, type Session, ProblemError } from '@baton/api/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';

import { client } from './client.ts';

export const logIn = (body: BodyOf<'logIn'>): Promise<Session> => client.sessions.logIn(body);

export const logOut = (): Promise<unknown> => client.sessions.logOut();

/** The host of the identity provider at which people log in; undefined: there is none. */
export const logInProvider =
  document.querySelector('meta[name="baton-provider"]')?.getAttribute('content') ?? undefined;

/** Null without a session. */
async function readSession(): Promise<Session | null> {
  const code = takeCode();
  if (code !== undefined) {
    try {
      return await logIn({ code });
    } catch (error) {
      // The browser may still have a session.
      if (!(error instanceof ProblemError)) throw error;
      history.replaceState(null, '', `${location.pathname}${location.search}${refusedCode}`);
    }
  }
  try {
    return await client.sessions.get();
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null;
    throw error;
  }
}

/** Takes `#code=…` out of the address that `baton open` prints; it works once, and is removed from the history. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

const refusedCode = '#code-refused';

/** Whether the page was opened with a code that was used before or is too old. */
export const isCodeRefused = (): boolean => location.hash === refusedCode;

export const sessionKey = ['session'] as const;

export const useSession = () =>
  useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 5 * 60_000, refetchOnWindowFocus: true });

/** Replaces the session after a log-in or log-out, and drops all data that was read with the previous one. */
export function changeSession(cache: QueryClient, session: Session | null): void {
  cache.setQueryData(sessionKey, session);
  // Keeps the session query itself: observers would not notice a new query of the same key.
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

/** Whether the key of the session has one of these scopes. */
export const may = (session: Session | null | undefined, scopes: readonly string[]): boolean =>
  session?.scopes.some((scope) => scope === 'admin' || scopes.includes(scope)) ?? false;

/** A key with one of these scopes may follow the events of runs. */
export const followingScopes = ['runs:read', 'runs:write'] as const;

export const useMay = (...scopes: readonly string[]): boolean =>
  may(useQueryClient().getQueryData<Session | null>(sessionKey), scopes);

/** Who is logged in. The key itself is never kept: the server answers with a cookie that no script can read. */
import type { BodyOf, Session } from '@baton/api/client';
import { ProblemError } from '@baton/api/client';
import type { QueryClient } from '@tanstack/react-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';

import { client } from './client.ts';

export const logIn = (body: BodyOf<'logIn'>): Promise<Session> => client.sessions.logIn(body);

export const logOut = (): Promise<unknown> => client.sessions.logOut();

/** Null: no person is logged in. */
async function readSession(): Promise<Session | null> {
  const code = takeCode();
  if (code !== undefined) {
    try {
      return await logIn({ code });
    } catch (error) {
      // A code that was used or is too old; the browser may still have a session.
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  try {
    return await client.sessions.get();
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null;
    throw error;
  }
}

/** `#code=…` of the address that `baton open` prints; it works once, and does not stay in the history. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

export const sessionKey = ['session'] as const;

export const useSession = () =>
  useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 5 * 60_000, refetchOnWindowFocus: true });

/** After a log-in or a log-out: nothing that was read with the session before stays. */
export function changeSession(cache: QueryClient, session: Session | null): void {
  cache.setQueryData(sessionKey, session);
  // The session itself stays in the cache: what watches it would not hear of a query that takes its place.
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

/** Whether the key of the session has one of these scopes. */
export function useMay(...scopes: readonly string[]): boolean {
  const session = useQueryClient().getQueryData<Session | null>(sessionKey);
  const own = session?.scopes ?? [];
  return own.includes('admin') || scopes.some((scope) => own.includes(scope));
}

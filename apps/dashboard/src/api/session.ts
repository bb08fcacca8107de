/** Who is logged in. The key itself is never kept: the server answers with a cookie that no script can read. */
import { ProblemError } from '@baton/api/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';

import { client } from './client.ts';

export interface Session {
  readonly id: string;
  readonly key: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly workflows?: readonly string[];
  readonly expiresAt: string;
}

type Credential = { readonly key: string } | { readonly code: string };

const path = '/v1/session';

export async function logIn(body: Credential): Promise<Session> {
  const { json } = await client.connection.json('POST', path, { body });
  return json as Session;
}

export const logOut = (): Promise<unknown> => client.connection.json('DELETE', path);

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
    const { json } = await client.connection.json('GET', path);
    return json as Session;
  } catch (error) {
    if (import.meta.env.DEV && error instanceof ProblemError && error.status !== 503) return proxySession;
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

/** Vite's proxy sends a key of its own with every request. */
const proxySession: Session = {
  id: 'dev',
  key: { id: 'dev', name: 'development' },
  scopes: ['admin'],
  expiresAt: new Date(8.64e15).toISOString(),
};

export const sessionKey = ['session'] as const;

export const useSession = () =>
  useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 5 * 60_000, refetchOnWindowFocus: true });

/** Whether the key of the session has one of these scopes. */
export function useMay(...scopes: readonly string[]): boolean {
  const session = useQueryClient().getQueryData<Session | null>(sessionKey);
  const own = session?.scopes ?? [];
  return own.includes('admin') || scopes.some((scope) => own.includes(scope));
}

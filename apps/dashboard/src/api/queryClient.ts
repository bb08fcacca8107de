/** One cache for all pages. An answer that the session has ended leads to the log-in. */
import { ProblemError } from '@baton/api/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import { sessionKey } from './session.ts';

const onError = (error: unknown): void => {
  if (error instanceof ProblemError && error.status === 401) queryClient.setQueryData(sessionKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // `always`: Baton may run on this machine, so it may answer while the browser is offline.
    // The API client retries; the live stream refreshes queries that failed.
    queries: { networkMode: 'always', retry: false, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { networkMode: 'always', retry: false },
  },
});

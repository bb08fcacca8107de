/** One cache for all pages. An answer that says that the session is over leads to the log-in. */
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
    // The client repeats what may be repeated; what it gives up on comes back with the live stream.
    queries: { networkMode: 'always', retry: false, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { networkMode: 'always', retry: false },
  },
});

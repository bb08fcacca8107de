import { useQuery } from '@tanstack/react-query';

import { client } from './client.ts';
import { useMay } from './session.ts';

export const unknownOutcomesKey = ['unknown outcomes'] as const;

/** Calls that may or may not have happened. `isWhole`: also those of runs that another run continued. */
export const useUnknownOutcomes = ({ isWhole = false } = {}) =>
  useQuery({
    queryKey: [...unknownOutcomesKey, isWhole],
    queryFn: ({ signal }) => client.runs.unknown(isWhole ? {} : { retried: 'no' }, { signal }),
    enabled: useMay('runs:read', 'runs:write'),
    staleTime: 30_000,
  });

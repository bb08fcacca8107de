/** Queries that several pages share, with their cache keys. */
import { isObject } from '@baton/primitives';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';

import { client } from './client.ts';
import { followingScopes, useMay } from './session.ts';

const openMax = '100';
const readinessMs = 10_000;
/** The polling interval while a part is down. */
const awayMs = 2_000;
const questionsMs = 5_000;

/** Asked at intervals where the key may see questions, but not the events that tell of new ones. */
function useQuestionsInterval(): number | false {
  const mayFollow = useMay(...followingScopes);
  const mayAnswer = useMay('questions:answer');
  return mayAnswer && !mayFollow && questionsMs;
}

export const useOpenQuestions = () =>
  useQuery({
    queryKey: ['questions'],
    queryFn: ({ signal }) => client.questions.list({ limit: openMax }, { signal }),
    refetchInterval: useQuestionsInterval(),
  });

export const loginsKey = ['logins'] as const;

/** At servers, for which runs of the person wait. Asked also when they come back from one. */
export function useAwaitedLogins() {
  const mayLogIn = useMay('servers:approve', 'workflows:write', 'runs:write');
  return useQuery({
    queryKey: loginsKey,
    queryFn: async ({ signal }) => (await client.servers.logins({ signal })).data,
    enabled: mayLogIn,
    refetchInterval: useQuestionsInterval(),
  });
}

/** How much waits for the person: open questions, and logins. */
export function useOpenCount(): { readonly count: number; readonly isMore: boolean } {
  const { data } = useOpenQuestions();
  const { data: logins = [] } = useAwaitedLogins();
  return { count: (data?.data.length ?? 0) + logins.length, isMore: data?.nextCursor !== undefined };
}

/** The open questions of one run. `isAsked`: false where it has none. */
export function useRunQuestions(runId: string, isAsked: boolean) {
  const { data, ...query } = useQuery({
    queryKey: ['questions', runId],
    queryFn: ({ signal }) => client.questions.list({ runId, limit: openMax }, { signal }),
    refetchInterval: useQuestionsInterval(),
    enabled: isAsked,
  });
  return { ...query, data: isAsked ? data : undefined };
}

export const laterRunsKey = (runId: string) => ['later runs', runId] as const;

export const readinessKey = ['readiness'] as const;

export const useReadiness = () =>
  useQuery({
    queryKey: readinessKey,
    // A server that is not ready answers 503 with the same body.
    queryFn: async ({ signal }) => {
      const { status, text } = await client.connection.exchange('GET', '/readyz', { signal });
      const said: unknown = JSON.parse(text);
      // A server that is stopping, or a proxy in front of it, answers with a problem.
      if (!isObject(said) || !isObject(said['parts']))
        throw new Error(`The readiness check was answered with ${status}.`);
      return said as Awaited<ReturnType<typeof client.isReady>>;
    },
    refetchInterval: ({ state: { data } }) => (data?.status === 'ok' ? readinessMs : awayMs),
  });

/** `mayAsk`: whether the key may see them, where a page is also for keys that may not. */
export const useWorkflows = (mayAsk = true) =>
  useQuery({
    enabled: mayAsk,
    queryKey: ['workflows'],
    queryFn: ({ signal }) => Array.fromAsync(client.workflows.all({ signal, limit: 1_000 })),
    staleTime: 30_000,
  });

export const useWorkflow = (id: string | undefined, version?: number) =>
  useQuery({
    queryKey: ['workflow', id, version ?? 'newest'],
    queryFn: ({ signal }) => client.workflows.version(id ?? '', version, { signal }),
    enabled: id !== undefined,
    staleTime: version === undefined ? 10_000 : Infinity,
  });

export const useServers = (mayAsk = true) =>
  useQuery({
    enabled: mayAsk,
    queryKey: ['servers'],
    queryFn: ({ signal }) => Array.fromAsync(client.servers.all({ signal })),
  });

export const useTools = (name: string | undefined) =>
  useQuery({
    queryKey: ['tools', name],
    queryFn: ({ signal }) => client.servers.tools(name ?? '', { signal }),
    enabled: name !== undefined,
    staleTime: 60_000,
  });

export type RunQuery = NonNullable<Parameters<typeof client.runs.list>[0]>;

const runPage = '50';

export const useRunPages = (query: RunQuery) =>
  useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam, signal }) =>
      client.runs.list({ ...query, limit: runPage, ...(pageParam === '' ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // A list that is not on the screen does not follow the stream.
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  });

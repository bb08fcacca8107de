/** Queries for statistics and lists that only some pages need. */
import type { ServerStats, WorkflowStats } from '@baton/api/client';
import { useQueries, useQuery } from '@tanstack/react-query';

import { client } from './client.ts';

const workflowStats = (workflow: string) => ({
  queryKey: ['stats', workflow],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.workflows.stats(workflow, { signal }),
  staleTime: 20_000,
});

export const useStats = (workflow: string) => useQuery(workflowStats(workflow));

export const useSchedulesOf = (workflow: string) =>
  useQuery({
    queryKey: ['schedules', workflow],
    queryFn: ({ signal }) => client.schedules.list({ workflow }, { signal }),
  });

export const useHooks = (workflow: string) =>
  useQuery({ queryKey: ['hooks', workflow], queryFn: ({ signal }) => client.hooks({ workflow }, { signal }) });

export const usePolls = (workflow: string) =>
  useQuery({
    queryKey: ['polls', workflow],
    queryFn: ({ signal }) => client.polls.list({ workflow }, { signal }),
    refetchInterval: pollsMs,
  });

export const useWorkflowState = (workflow: string) =>
  useQuery({
    queryKey: ['state', workflow],
    queryFn: ({ signal }) => client.state.get(workflow, { signal }),
    refetchInterval: pollsMs,
  });

export const useStateWrites = (workflow: string, key: string) =>
  useQuery({
    queryKey: ['state', workflow, key],
    queryFn: ({ signal }) => client.state.writes(workflow, key, { limit: '101' }, { signal }),
  });

const pollsMs = 5_000;

const systemMs = 3_000;

export const useWorkers = () =>
  useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => client.system.workers({ signal }),
    refetchInterval: systemMs,
  });

export const useQueue = () =>
  useQuery({
    queryKey: ['queue'],
    queryFn: ({ signal }) => client.system.queue({ signal }),
    refetchInterval: systemMs,
  });

export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => client.system.settings({ signal }),
    staleTime: Infinity,
  });

const serverStats = (name: string) => ({
  queryKey: ['server stats', name],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.servers.stats(name, { signal }),
  staleTime: 10_000,
});

export const useServerStats = (name: string) => useQuery({ ...serverStats(name), refetchInterval: serverMs });

const serverMs = 10_000;

/** By name, those that are known so far. */
export const useStatsOfServers = (names: readonly string[]): ReadonlyMap<string, ServerStats> =>
  useQueries({
    queries: names.map(serverStats),
    combine: (all) => new Map(all.flatMap(({ data }) => (data === undefined ? [] : [[data.name, data] as const]))),
  });

/** By workflow, those that are known so far. */
export const useStatsOfWorkflows = (ids: readonly string[]): ReadonlyMap<string, WorkflowStats> =>
  useQueries({
    queries: ids.map(workflowStats),
    combine: (all) => new Map(all.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data] as const]))),
  });

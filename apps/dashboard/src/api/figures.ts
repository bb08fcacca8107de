/** Queries for statistics and lists that only some pages need. */
import { useQuery } from '@tanstack/react-query';

import { client } from './client.ts';

export const useStats = (workflow: string) =>
  useQuery({
    queryKey: ['stats', workflow],
    queryFn: ({ signal }) => client.workflows.stats(workflow, { signal }),
    staleTime: 20_000,
  });

export const useHooks = (workflow: string) =>
  useQuery({ queryKey: ['hooks', workflow], queryFn: ({ signal }) => client.hooks({ workflow }, { signal }) });

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

export const useServerStats = (name: string) =>
  useQuery({ queryKey: ['server stats', name], queryFn: ({ signal }) => client.servers.stats(name, { signal }) });

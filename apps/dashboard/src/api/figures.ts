/** Figures and lists that only the page and the command line ask for. */
import type { RunStatus } from '@baton/engine';
import { useQuery } from '@tanstack/react-query';

import { client } from './client.ts';

export interface WorkflowStats {
  readonly counts: Readonly<Partial<Record<RunStatus, number>>>;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /** Newest first. */
  readonly runs: readonly {
    readonly id: string;
    readonly status: RunStatus;
    readonly durationMs?: number;
    readonly at: string;
  }[];
}

export interface HookDelivery {
  readonly at: string;
  readonly outcome: 'started' | 'repeated' | 'ignored' | 'refused';
  readonly reason?: string;
  readonly runId?: string;
}

export interface Hook {
  readonly workflow: string;
  readonly hook: string;
  readonly path: string;
  readonly scheme: string;
  readonly secret: string;
  readonly deliveries: readonly HookDelivery[];
}

export interface Worker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly status: 'working' | 'draining' | 'silent';
  readonly startedAt: string;
  readonly heartbeatAt: string;
  readonly runs: number;
  readonly concurrency?: number;
}

export interface Queue {
  readonly queued: number;
  readonly oldestAt?: string;
  readonly running: number;
  readonly waiting: number;
  readonly delayed: number;
}

export interface Setting {
  readonly name: string;
  readonly value?: string;
  readonly source: string;
  readonly description: string;
}

export interface ServerStats {
  readonly calls: number;
  readonly processes: readonly {
    readonly process: string;
    readonly state: string;
    readonly sessions: { readonly open: number; readonly busy: number; readonly inFlight: number };
    readonly waiting: number;
    readonly breaker: { readonly state: string; readonly failures: number; readonly until?: string };
    readonly stderr?: string;
  }[];
  readonly tools: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly p50Ms?: number;
    readonly p95Ms?: number;
    readonly errors: Readonly<Record<string, number>>;
  }[];
}

async function answerTo<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  return (await client.connection.json('GET', path, { signal })).json as Answer;
}

export const useStats = (workflow: string) =>
  useQuery({
    queryKey: ['stats', workflow],
    queryFn: ({ signal }) => answerTo<WorkflowStats>(`/v1/workflows/${encodeURIComponent(workflow)}/stats`, signal),
    staleTime: 20_000,
  });

export const useHooks = (workflow: string) =>
  useQuery({
    queryKey: ['hooks', workflow],
    queryFn: ({ signal }) =>
      answerTo<{ readonly data: readonly Hook[] }>(`/v1/hooks?workflow=${encodeURIComponent(workflow)}`, signal),
  });

const systemMs = 3_000;

export const useWorkers = () =>
  useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => answerTo<{ readonly data: readonly Worker[] }>('/v1/workers', signal),
    refetchInterval: systemMs,
  });

export const useQueue = () =>
  useQuery({
    queryKey: ['queue'],
    queryFn: ({ signal }) => answerTo<Queue>('/v1/queue', signal),
    refetchInterval: systemMs,
  });

export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => answerTo<{ readonly data: readonly Setting[] }>('/v1/settings', signal),
    staleTime: Infinity,
  });

export const useServerStats = (name: string) =>
  useQuery({
    queryKey: ['server stats', name],
    queryFn: ({ signal }) => answerTo<ServerStats>(`/v1/servers/${encodeURIComponent(name)}/stats`, signal),
  });

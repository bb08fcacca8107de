/** Updates the rows of the list with live events, and counts new runs without showing them. */
import type { FeedEvent } from '@baton/api';
import type { RunInList } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { liveFeed } from '../api/liveFeed.ts';
import type { RunQuery } from '../api/queries.ts';

interface RunPage {
  readonly data: RunInList[];
  readonly nextCursor?: string;
}

type Pages = InfiniteData<RunPage, string>;

export interface NewRuns {
  /** Number of new runs that are not in the list. */
  readonly count: number;
  readonly show: () => void;
}

/** `shown`: the runs in the list. A reloaded list may contain runs that were counted before. */
export function useLiveRuns(query: RunQuery, shown: readonly RunInList[]): NewRuns {
  const cache = useQueryClient();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const key = JSON.stringify(query);
  useEffect(() => {
    setIds(new Set());
    const queryKey = ['runs', JSON.parse(key) as RunQuery];
    const onEvents = (events: readonly FeedEvent[]): void => {
      const fresh = events.filter((event) => event.type === 'run.requested' && isWanted(event, key));
      if (fresh.length > 0) setIds((known) => new Set([...known, ...fresh.map(({ runId }) => runId)]));
      cache.setQueryData<Pages>(
        queryKey,
        (pages) => pages && { ...pages, pages: pages.pages.map((page) => patched(page, events)) },
      );
    };
    return liveFeed.listen({ onEvents });
  }, [cache, key]);
  const show = (): void => {
    setIds(new Set());
    void cache.invalidateQueries({ queryKey: ['runs', query] });
    void cache.invalidateQueries({ queryKey: ['histogram'] });
    void cache.invalidateQueries({ queryKey: ['causes'] });
  };
  return { count: shown.reduce((count, { id }) => (ids.has(id) ? count - 1 : count), ids.size), show };
}

/** Ignores filters that only the server can apply: the list is reloaded anyway. */
function isWanted(event: FeedEvent, key: string): boolean {
  const { workflow, trigger, tag, status, to } = JSON.parse(key) as Record<string, unknown>;
  if (to !== undefined) return false;
  if (Array.isArray(status) && !status.includes('queued') && !status.includes('running')) return false;
  if (workflow !== undefined && workflow !== event.workflow) return false;
  if (trigger !== undefined && trigger !== (event['trigger'] as { kind?: string } | undefined)?.kind) return false;
  return tag === undefined || ((event['tags'] ?? []) as unknown[]).includes(tag);
}

function patched(page: RunPage, events: readonly FeedEvent[]): RunPage {
  const byRun = Map.groupBy(events, ({ runId }) => runId);
  const retries = new Map(events.flatMap((event) => (isRetry(event) ? [[event['rerunOf'], event.runId]] : [])));
  if (!page.data.some(({ id }) => byRun.has(id) || retries.has(id))) return page;
  const updated = (run: RunInList): RunInList => {
    const retriedAs = retries.get(run.id);
    return (byRun.get(run.id) ?? []).reduce(after, retriedAs === undefined ? run : { ...run, retriedAs });
  };
  return { ...page, data: page.data.map(updated) };
}

const isRetry = (event: FeedEvent): boolean =>
  event.type === 'run.requested' && (event['trigger'] as { kind?: string } | undefined)?.kind === 'retry';

interface Awaited {
  readonly for: 'time';
  readonly name?: string;
  readonly server?: string;
  readonly workflow?: string;
  readonly login?: string;
}

function waitsForIn(event: FeedEvent): NonNullable<RunInList['waitsFor']> {
  const step = String(event['path']);
  const awaiting = event['awaiting'] as Awaited | undefined;
  if (awaiting === undefined) return { step, kind: 'retry' };
  const { name, server, workflow, login } = awaiting;
  return { step, kind: awaiting.for, ...defined({ name: name ?? server ?? workflow, login }) };
}

function after(run: RunInList, event: FeedEvent): RunInList {
  const at = new Date(event.at).toISOString();
  switch (event.type) {
    case 'run.claimed':
      return { ...run, status: 'running', startedAt: run.startedAt ?? at };
    case 'run.waiting': {
      const { wakeAt: _, ...rest } = run;
      const wakeAt = event['wakeAt'];
      return {
        ...rest,
        status: 'waiting',
        ...(typeof wakeAt === 'number' ? { wakeAt: new Date(wakeAt).toISOString() } : {}),
      };
    }
    case 'step.waiting':
    case 'step.retrying':
      return { ...run, waitsFor: waitsForIn(event) };
    case 'step.started':
      return { ...run, lastStep: String(event['path']) };
    case 'run.cancelRequested':
      return { ...run, cancelRequested: true };
    case 'run.finished': {
      const failure = event['failure'] as RunInList['error'];
      return {
        ...run,
        status: event['status'] as RunInList['status'],
        endedAt: at,
        ...(failure === undefined ? {} : { error: failure }),
      };
    }
    default:
      return run;
  }
}

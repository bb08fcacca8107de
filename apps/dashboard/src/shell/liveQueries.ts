/** Invalidates cached answers when events make them outdated. */
import { isObject } from '@baton/primitives';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { liveFeed } from '../api/liveFeed.ts';
import { readinessKey, laterRunsKey, loginsKey, useOpenCount } from '../api/queries.ts';
import { sessionKey } from '../api/session.ts';
import { unknownOutcomesKey } from '../api/unknownOutcomes.ts';

const questionEvents = new Set(['question.asked', 'question.answered', 'run.finished']);

interface SeenEvent {
  readonly type: string;
  readonly at: number;
  readonly trigger?: unknown;
  readonly awaiting?: unknown;
}

/** Whether the events may change which outcomes are unknown: one became so, a person answered, a run went on. */
const settles = (events: readonly SeenEvent[]): boolean =>
  events.some(
    ({ type, ...event }) =>
      type === 'step.unknown' ||
      type === 'question.answered' ||
      (type === 'run.requested' && 'rerunOf' in event) ||
      ('failure' in event && isObject(event.failure) && event.failure['code'] === 'outcome-unknown'),
  );

/** A run begins to wait for a login, or waits no longer. Each look for the login is an event too, and changes nothing. */
function changesLogins({ type, at, awaiting }: SeenEvent): boolean {
  if (type === 'run.finished') return true;
  return type === 'step.waiting' && isObject(awaiting) && 'login' in awaiting && awaiting['since'] === at;
}

export function useLiveQueries(): void {
  const cache = useQueryClient();
  useEffect(() => {
    return liveFeed.listen({
      onEvents: (events) => {
        const asks = events.some(
          ({ type, awaiting }) =>
            questionEvents.has(type) ||
            (type === 'step.waiting' && (awaiting as { for?: string } | undefined)?.for === 'answer'),
        );
        if (settles(events)) void cache.invalidateQueries({ queryKey: unknownOutcomesKey });
        if (asks) void cache.invalidateQueries({ queryKey: ['questions'] });
        if (events.some(changesLogins)) void cache.invalidateQueries({ queryKey: loginsKey });
        for (const { type, rerunOf } of events)
          if (type === 'run.requested' && typeof rerunOf === 'string')
            void cache.invalidateQueries({ queryKey: laterRunsKey(rerunOf) });
        if (events.some(({ type }) => type === 'run.finished')) void cache.invalidateQueries({ queryKey: ['stats'] });
      },
      // Events between the reading of these lists and the begin of the stream are missing in both.
      onBegin: () => {
        void askAnew(cache, 'questions');
        void askAnew(cache, ...loginsKey);
        void askAnew(cache, 'runs');
      },
      onReconnect: () => void cache.invalidateQueries(),
      onCut: () => {
        void cache.invalidateQueries({ queryKey: sessionKey });
        void cache.invalidateQueries({ queryKey: readinessKey });
      },
    });
  }, [cache]);
  useQuestionCountInTitle();
}

/** Cancels requests in progress, which may return old data, and sends new ones. Invalidating alone would wait for them. */
async function askAnew(cache: QueryClient, ...queryKey: readonly string[]): Promise<void> {
  await cache.cancelQueries({ queryKey });
  await cache.invalidateQueries({ queryKey });
}

function useQuestionCountInTitle(): void {
  const { count } = useOpenCount();
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = count === 0 ? title : `(${count}) ${title}`;
  }, [count]);
}

/** Which answers are out of date when something happens. */
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { liveFeed } from '../api/liveFeed.ts';
import { readinessKey, useOpenQuestions } from '../api/queries.ts';
import { sessionKey } from '../api/session.ts';

const questionEvents = new Set(['question.asked', 'question.answered', 'run.finished']);

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
        if (asks) void cache.invalidateQueries({ queryKey: ['questions'] });
        if (events.some(({ type }) => type === 'run.finished')) void cache.invalidateQueries({ queryKey: ['stats'] });
      },
      // What happened after these lists were read and before the stream began is in neither.
      onBegin: () => {
        void askAnew(cache, 'questions');
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

/** Also where the first answer is still on its way: it may be from before. To invalidate alone would wait for it. */
async function askAnew(cache: QueryClient, ...queryKey: readonly string[]): Promise<void> {
  await cache.cancelQueries({ queryKey });
  await cache.invalidateQueries({ queryKey });
}

function useQuestionCountInTitle(): void {
  const { data } = useOpenQuestions();
  const count = data?.data.length ?? 0;
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = count === 0 ? title : `(${count}) ${title}`;
  }, [count]);
}

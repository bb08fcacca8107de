/** The head of a run's page: a sentence, facts, and open questions with their forms. */
import { countText, isEnded, runSentence, sentenceInput, type Run, rowOf } from '@baton/engine';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { laterRunsKey, useRunQuestions } from '../api/queries.ts';
import { CallerText } from '../parts/callerText.tsx';
import { dollarsText, tokensText } from '../parts/money.ts';
import { unbroken, useNow } from '../parts/time.ts';
import { DurationText, InstantText, TimeText } from '../parts/timeText.tsx';
import { AwaitedLogins } from '../questions/loginCard.tsx';
import { useCauses } from '../runs/causeList.tsx';
import { LinkedRuns } from '../runs/linkedRuns.tsx';
import { shortRunId } from '../runs/shortRunId.ts';
import { AnswerHere } from './answerHere.tsx';
import type { RunMoment } from './fold.ts';
import { startOf } from './runState.ts';
import type { FollowedRun } from './useRun.ts';

const queuedReadEveryMs = 2_000;

/** The sentence of the orchestrator; undefined until it is read, and once the run has begun. */
function useQueuedSentence(run: Run): string | undefined {
  const isQueued = rowOf(run).status === 'queued';
  const { data } = useQuery({
    queryKey: ['queued', run.id],
    queryFn: ({ signal }) => client.runs.get(run.id, { signal }),
    enabled: isQueued,
    refetchInterval: queuedReadEveryMs,
  });
  return isQueued ? data?.sentence : undefined;
}

/** Its newest retry and the run that undoes it, which its own journal does not tell. */
function useLaterRuns(run: Run): { readonly retriedAs?: string; readonly undoneAs?: string } {
  const isOver = run.status === 'succeeded' || run.status === 'failed' || run.status === 'cancelled';
  const { data } = useQuery({
    queryKey: laterRunsKey(run.id),
    queryFn: async ({ signal }) => {
      const { retriedAs, undoneAs } = await client.runs.get(run.id, { signal });
      return { ...(retriedAs && { retriedAs }), ...(undoneAs && { undoneAs }) };
    },
    enabled: isOver,
  });
  return isOver ? (data ?? {}) : {};
}

interface RunSummaryProps {
  readonly view: FollowedRun;
  readonly shown: RunMoment;
  readonly onStep: (path: string) => void;
}

export function RunSummary({ view, shown, onStep }: RunSummaryProps) {
  const now = useNow();
  const { run } = shown;
  const queued = useQueuedSentence(run);
  const { data: own } = useRunQuestions(run.id, view.isLive && run.questions > 0);
  const questions = own?.data ?? [];
  const failedAt = run.status === 'failed' ? run.failure.step : undefined;
  const sentence = (): string =>
    runSentence(sentenceInput(run), shown.trace.steps, view.isLive ? now : run.at, {
      isQuestionShown: questions.length > 0,
    });
  return (
    <div className="run-summary">
      <p className={`sentence s-${run.status}`}>
        {!view.isLive && <span className="chip warn">As it was after event {shown.seq}</span>}{' '}
        <LinkedRuns text={unbroken((view.isLive ? queued : undefined) ?? sentence())} />{' '}
        {failedAt !== undefined && (
          <button type="button" className="link" onClick={() => onStep(failedAt)}>
            Show the step
          </button>
        )}
      </p>
      <RunFacts view={view} shown={shown} />
      <AnswerHere run={run} questions={questions} />
      {view.isLive && <LogInHere shown={shown} />}
    </div>
  );
}

/** Where the run is of the person who looks at it, and waits for their login. */
function LogInHere({ shown: { run, trace } }: Pick<RunSummaryProps, 'shown'>) {
  const servers = trace.steps.flatMap(({ status, awaiting }) =>
    status === 'waiting' && awaiting?.for === 'turn' && awaiting.login !== undefined ? [awaiting.server] : [],
  );
  if (run.person === undefined || servers.length === 0) return null;
  return <AwaitedLogins of={{ person: run.person.id, servers }} />;
}

/** Leads to the runs that failed for the same cause. */
function OthersLikeThis({ id }: { readonly id: string }) {
  const { data } = useCauses({ like: id });
  const others = (data?.data.find((cause) => cause.count > 0)?.count ?? 0) - 1;
  if (others < 1) return null;
  return (
    <li>
      <Link href={`/runs?status=failed&like=${id}&time=all`}>{countText(others, 'other run')} failed like this</Link>
    </li>
  );
}

function RunFacts({ view, shown: { run } }: Pick<RunSummaryProps, 'view' | 'shown'>) {
  const { retriedAs, undoneAs } = useLaterRuns(run);
  const startedAt = startOf(run);
  const isGoingOn = view.isLive && !isEnded(run);
  return (
    <ul className="run-facts small dim">
      <li>
        Started <TimeText at={startedAt} />
      </li>
      <li>
        {isEnded(run) ? 'Took' : 'So far'} <DurationText from={startedAt} to={isGoingOn ? undefined : run.at} />
      </li>
      <li>
        By {run.trigger.kind === 'api' ? '' : `${run.trigger.kind}, `}
        <CallerText by={run.by} />
        {run.via !== undefined && (
          <>
            {' '}
            via <CallerText by={run.via} />
          </>
        )}
      </li>
      {run.parent !== undefined && (
        <li>
          Started by{' '}
          <Link href={`/runs/${run.parent.runId}?step=${encodeURIComponent(run.parent.path)}`}>its parent</Link>
        </li>
      )}
      {run.rerunOf !== undefined && (
        <li>
          {run.trigger.kind === 'undo' ? 'Undoes' : 'Again of'}{' '}
          <Link href={`/runs/${run.rerunOf}`}>{shortRunId(run.rerunOf)}</Link>
        </li>
      )}
      {undoneAs !== undefined && (
        <li>
          Undo <Link href={`/runs/${undoneAs}`}>{shortRunId(undoneAs)}</Link>
        </li>
      )}
      {retriedAs !== undefined && (
        <li>
          Retried as <Link href={`/runs/${retriedAs}`}>{shortRunId(retriedAs)}</Link>
        </li>
      )}
      {view.isLive && run.status === 'failed' && <OthersLikeThis id={run.id} />}
      {run.spent.toolCalls > 0 && <li className="num">{countText(run.spent.toolCalls, 'tool call')}</li>}
      {run.spent.tokens > 0 && <li className="num">{tokensText(run.spent.tokens)} tokens</li>}
      {run.spent.usd > 0 && <li className="num">{dollarsText(run.spent.usd)}</li>}
      {run.status === 'running' && (
        <li title={`claim ${run.claim}`}>
          Worker <code>{run.worker}</code>
        </li>
      )}
      {run.tags.map((tag) => (
        <li key={tag} className="chip">
          {tag}
        </li>
      ))}
      {!view.isLive && (
        <li>
          At <InstantText at={run.at} digits={3} />
        </li>
      )}
    </ul>
  );
}

/** The list of open questions: of all runs, or of the run in the address. */
import type { Question } from '@baton/api/client';
import { countText } from '@baton/engine';
import { Link, useSearch } from 'wouter';

import { useOpenQuestions, useRunQuestions } from '../api/queries.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { shortRunId } from '../runs/shortRunId.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { QuestionCard } from './questionCard.tsx';

export function QuestionsPage() {
  const runId = new URLSearchParams(useSearch()).get('run');
  return runId === null ? <AllQuestions /> : <QuestionsOfRun key={runId} runId={runId} />;
}

function AllQuestions() {
  return (
    <>
      <PageHead title="Questions" />
      <div className="body">
        <QuestionList
          list={useOpenQuestions()}
          none={
            <Empty title="Nothing waits for an answer">
              A step with <code>ask:</code> waits here, and so does a server that asks something during a call.
            </Empty>
          }
        />
      </div>
    </>
  );
}

function QuestionsOfRun({ runId }: { readonly runId: string }) {
  return (
    <>
      <PageHead title="Questions" />
      <div className="body">
        <p className="small">
          Of the run <Link href={`/runs/${runId}`}>{shortRunId(runId)}</Link>. <Link href="/questions">Show all</Link>
        </p>
        <QuestionList
          list={useRunQuestions(runId, true)}
          none={<Empty title="Nothing in this run waits for an answer">It may go on, or have ended.</Empty>}
        />
      </div>
    </>
  );
}

interface QuestionListProps {
  readonly list: {
    readonly data: { readonly data: readonly Question[]; readonly nextCursor?: string | undefined } | undefined;
    readonly error: Error | null;
    readonly isPending: boolean;
  };
  /** Shown where there is no question. */
  readonly none: React.ReactNode;
}

function QuestionList({ list: { data, error, isPending }, none }: QuestionListProps) {
  return (
    <>
      {/* Read aloud when it changes; the times on the cards change each second. */}
      <p className="sr" role="status">
        {data !== undefined && countText(data.data.length, 'open question')}
      </p>
      {isPending && <Skeleton rows={4} />}
      <ProblemNote error={error} />
      {data?.data.length === 0 && none}
      {data?.data.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      {data?.nextCursor !== undefined && <p className="dim">There are more; they appear when these are answered.</p>}
    </>
  );
}

/** The open questions by workflow: of all runs, or of the workflow or the run in the address. */
import type { Question } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { useAwaitedLogins, useOpenQuestions, useRunQuestions, useWorkflows } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { shortRunId } from '../runs/shortRunId.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { AnswerMany } from './answerMany.tsx';
import { decisionOf } from './decision.ts';
import { AwaitedLogins } from './loginCard.tsx';
import { QuestionCard } from './questionCard.tsx';

export function QuestionsPage() {
  const params = new URLSearchParams(useSearch());
  const run = params.get('run');
  return run === null ? <AllQuestions of={params.get('workflow')} /> : <QuestionsOfRun key={run} runId={run} />;
}

function AllQuestions({ of }: { readonly of: string | null }) {
  const [, go] = useLocation();
  const list = useOpenQuestions();
  const { data: logins = [] } = useAwaitedLogins();
  const workflows = [...new Set((list.data?.data ?? []).map(({ workflow }) => workflow))].toSorted();
  return (
    <>
      <PageHead
        title="Questions"
        actions={
          (workflows.length > 1 || of !== null) && (
            <select
              className="input"
              aria-label="Workflow"
              value={of ?? ''}
              onChange={({ target }) => go(target.value === '' ? '/questions' : `/questions?workflow=${target.value}`)}
            >
              <option value="">All workflows</option>
              {[...new Set([...workflows, ...(of === null ? [] : [of])])].map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          )
        }
      />
      <div className="body">
        {of === null && <AwaitedLogins />}
        <QuestionList
          list={list}
          of={of}
          none={
            (of !== null || logins.length === 0) && (
              <Empty title="Nothing waits for an answer">
                A step with <code>ask:</code> waits here, and so does a server that asks something during a call.
              </Empty>
            )
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
          Of the run{' '}
          <Link href={`/runs/${runId}`} className="inline">
            {shortRunId(runId)}
          </Link>
          .{' '}
          <Link href="/questions" className="inline">
            Show all
          </Link>
        </p>
        <QuestionList
          list={useRunQuestions(runId, true)}
          of={null}
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
  /** Only those of this workflow; null: all. */
  readonly of: string | null;
  /** Shown where there is no question. */
  readonly none: React.ReactNode;
}

function QuestionList({ list: { data, error, isPending }, of, none }: QuestionListProps) {
  const questions = data?.data.filter(({ workflow }) => of === null || workflow === of);
  return (
    <>
      {/* Read aloud when it changes; the times on the cards change each second. */}
      <p className="sr" role="status">
        {questions !== undefined && countText(questions.length, 'open question')}
      </p>
      {isPending && <Skeleton rows={4} />}
      <ProblemNote error={error} />
      {questions?.length === 0 && none}
      {[...Map.groupBy(questions ?? [], ({ workflow }) => workflow)].map(([workflow, asked]) => (
        <Group key={workflow} workflow={workflow} questions={asked} />
      ))}
      {data?.nextCursor !== undefined && <p className="dim">There are more; they appear when these are answered.</p>}
    </>
  );
}

interface GroupProps {
  readonly workflow: string;
  readonly questions: readonly Question[];
}

/** The questions of one workflow. Those that only ask for a decision can be answered at once. */
function Group({ workflow, questions }: GroupProps) {
  const { data: workflows } = useWorkflows(useMay('workflows:write', 'runs:read', 'runs:write'));
  const mayAnswer = useMay('questions:answer');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const deciding = mayAnswer ? questions.filter((one) => decisionOf(one.form)?.isAlone === true) : [];
  const picked = deciding.filter(({ id }) => chosen.has(id));
  const title = workflows?.find(({ id }) => id === workflow)?.title;
  const choose = (id: string): void =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]));
  return (
    <section className="question-group" aria-label={`Questions of ${workflow}`}>
      <header className="row wrap">
        <h2>
          {title ?? workflow} <span className="faint">{title === undefined ? '' : workflow}</span>{' '}
          <span className="dim num">{questions.length}</span>
        </h2>
        {deciding.length > 1 && (
          <Button
            look="quiet"
            isTiny
            onClick={() => setChosen(new Set(picked.length === deciding.length ? [] : deciding.map(({ id }) => id)))}
          >
            {picked.length === deciding.length ? 'Choose none' : `Choose all ${deciding.length}`}
          </Button>
        )}
        {picked.length > 0 && <AnswerMany questions={picked} onDone={() => setChosen(new Set())} />}
      </header>
      <div className="question-grid">
        {questions.map((question) => (
          <QuestionCard
            key={question.id}
            question={question}
            {...(deciding.length > 1 && deciding.includes(question)
              ? { isChosen: chosen.has(question.id), onChoose: () => choose(question.id) }
              : {})}
          />
        ))}
      </div>
    </section>
  );
}

/**
 * Open questions of the run, answered without leaving it. An outcome that is not known is asked for in the same way.
 */
import type { Question } from '@baton/api/client';

import { useOpenQuestions } from '../api/queries.ts';
import { QuestionCard } from '../questions/questionCard.tsx';
import type { RunMoment } from './fold.ts';

export function useOwnQuestions({ run }: RunMoment): readonly Question[] {
  const { data } = useOpenQuestions();
  return run.questions === 0 ? [] : (data?.data.filter(({ runId }) => runId === run.id) ?? []);
}

const shownMost = 3;

export function AnswerHere({ questions }: { readonly questions: readonly Question[] }) {
  if (questions.length === 0) return null;
  return (
    <div className="col">
      {questions.slice(0, shownMost).map((question) => (
        <QuestionCard key={question.id} question={question} isInRun />
      ))}
    </div>
  );
}

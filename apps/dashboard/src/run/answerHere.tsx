/**
 * Shows open questions of the run on its page. Questions about unknown outcomes are among them.
 */
import type { Question } from '@baton/api/client';

import { useOpenQuestions } from '../api/queries.ts';
import { QuestionCard } from '../questions/questionCard.tsx';
import type { RunMoment } from './fold.ts';

export function useOwnQuestions({ run }: RunMoment): readonly Question[] {
  const { data } = useOpenQuestions();
  return run.questions === 0 ? [] : (data?.data.filter(({ runId }) => runId === run.id) ?? []);
}

const shownMax = 3;

export function AnswerHere({ questions }: { readonly questions: readonly Question[] }) {
  if (questions.length === 0) return null;
  return (
    <div className="col">
      {questions.slice(0, shownMax).map((question) => (
        <QuestionCard key={question.id} question={question} isInRun />
      ))}
    </div>
  );
}

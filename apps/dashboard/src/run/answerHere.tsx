/** The first open questions of a run, with their forms, and a link to the others. */
import type { Question } from '@baton/api/client';
import { type Run, countText } from '@baton/engine';
import { Link } from 'wouter';

import { QuestionCard } from '../questions/questionCard.tsx';

const shownMax = 3;

interface AnswerHereProps {
  readonly run: Pick<Run, 'id' | 'questions'>;
  /** As far as they are loaded. */
  readonly questions: readonly Question[];
}

export function AnswerHere({ run, questions }: AnswerHereProps) {
  if (questions.length === 0) return null;
  const more = Math.max(run.questions, questions.length) - Math.min(questions.length, shownMax);
  return (
    <div className="col">
      {questions.slice(0, shownMax).map((question) => (
        <QuestionCard key={question.id} question={question} isInRun />
      ))}
      {more > 0 && (
        <Link href={`/questions?run=${run.id}`}>
          {countText(more, 'more question')} {more === 1 ? 'waits' : 'wait'} for an answer
        </Link>
      )}
    </div>
  );
}

/**
 * Open questions of the run, answered without leaving it. An outcome that is not known is asked for in the same way.
 */
import { useOpenQuestions } from '../api/queries.ts';
import { QuestionCard } from '../questions/questionCard.tsx';
import type { RunMoment } from './fold.ts';

export function AnswerHere({ moment: { run } }: { readonly moment: RunMoment }) {
  const { data } = useOpenQuestions();
  const own = data?.data.filter(({ runId }) => runId === run.id) ?? [];
  if (run.questions === 0 || own.length === 0) return null;
  return (
    <div className="col">
      {own.slice(0, 3).map((question) => (
        <QuestionCard key={question.id} question={question} isInRun />
      ))}
    </div>
  );
}

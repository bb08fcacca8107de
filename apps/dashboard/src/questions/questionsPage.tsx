/** The list of open questions. */
import { countText } from '@baton/engine';

import { useOpenQuestions } from '../api/queries.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { QuestionCard } from './questionCard.tsx';

export function QuestionsPage() {
  const { data, error, isPending } = useOpenQuestions();
  return (
    <>
      <PageHead title="Questions" />
      <div className="body">
        {/* Read aloud when it changes; the times on the cards change each second. */}
        <p className="sr" role="status">
          {data !== undefined && countText(data.data.length, 'open question')}
        </p>
        {isPending && <Skeleton rows={4} />}
        <ProblemNote error={error} />
        {data?.data.length === 0 && (
          <Empty title="Nothing waits for an answer">
            A step with <code>ask:</code> waits here, and so does a server that asks something during a call.
          </Empty>
        )}
        {data?.data.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        {data?.nextCursor !== undefined && <p className="dim">There are more; they appear when these are answered.</p>}
      </div>
    </>
  );
}

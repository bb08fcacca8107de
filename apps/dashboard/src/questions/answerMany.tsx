/** Answers several questions that ask for a decision, with one press and one confirmation. */
import type { Question } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { defaultsOf } from '../parts/schemaForm.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { decisionOf } from './decision.ts';

interface AnswerManyProps {
  /** Each asks for a decision alone. */
  readonly questions: readonly Question[];
  readonly onDone: () => void;
}

export function AnswerMany({ questions, onDone }: AnswerManyProps) {
  const [isYes, setYes] = useState<boolean>();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async (yes: boolean) => {
      const answers = await Promise.allSettled(questions.map((question) => answer(question, yes)));
      return answers.filter(({ status }) => status === 'rejected').length;
    },
    onSuccess: (refused) => {
      const done = questions.length - refused;
      toast(
        `${countText(done, 'question')} answered${refused > 0 ? `; ${refused} had an answer already, or refused it` : ''}.`,
      );
      onDone();
    },
    onError: toastError,
    onSettled: () => {
      setYes(undefined);
      void cache.invalidateQueries({ queryKey: ['questions'] });
    },
  });
  const [first] = questions;
  const { yes = 'Yes', no = 'No' } = (first === undefined ? undefined : decisionOf(first.form)) ?? {};
  const chosen = isYes === true ? yes : no;
  return (
    <>
      <Button look="main" isTiny onClick={() => setYes(true)}>
        {yes} {questions.length}
      </Button>
      <Button isTiny onClick={() => setYes(false)}>
        {no} {questions.length}
      </Button>
      {isYes !== undefined && (
        <ConfirmDialog
          title={`Answer ${countText(questions.length, 'question')}?`}
          action={`${chosen} ${questions.length}`}
          isHarmless
          isBusy={isPending}
          onConfirm={() => mutate(isYes)}
          onClose={() => setYes(undefined)}
        >
          <p>Each is answered with “{chosen}”, and its run goes on:</p>
          <ul>
            {questions.slice(0, shownMax).map(({ id, message }) => (
              <li key={id} className="breaks">
                {message.slice(0, characters)}
              </li>
            ))}
            {questions.length > shownMax && <li className="dim">and {questions.length - shownMax} more</li>}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}

const shownMax = 10;
const characters = 120;

const answer = ({ id, form }: Question, yes: boolean) => {
  const decision = decisionOf(form);
  if (decision === undefined) throw new Error(`the question ${id} asks for no decision`);
  return client.questions.answer(id, { ...defaultsOf(form), [decision.name]: yes });
};

/** Learns a workflow from the calls of this run: shows inputs, omitted calls and open questions. */
import type { LearnedWorkflow } from '@baton/api/client';
import { countText } from '@baton/engine';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { keepDraft, newDraft, readDraft } from '../editor/drafts.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LineWarnings, ProblemNote, Skeleton, Warning } from '../parts/notes.tsx';

type Question = LearnedWorkflow['questions'][number];

/** A long session takes a while. */
const timeoutMs = 60_000;

/** Answered questions in the order of the answers, with the number of the option. */
type Answered = readonly { readonly question: Question; readonly option: number }[];

const answersIn = (answered: Answered): Record<string, number> =>
  Object.fromEntries(answered.map(({ question, option }) => [question.id, option]));

function useLearned(runId: string) {
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [answered, setAnswered] = useState<Answered>([]);
  const answers = answersIn(answered);
  const learned = useQuery({
    queryKey: ['learn', runId, answers],
    queryFn: () => client.runs.learn(runId, { answers }, { timeoutMs }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const open = useMutation({
    mutationFn: () =>
      client.runs.learn(runId, { answers, ...(name.trim() === '' ? {} : { name: name.trim() }) }, { timeoutMs }),
    onSuccess: ({ source }) => {
      keepDraft(newDraft, source);
      go('/new');
    },
  });
  const answer = (question: Question, option: number): void =>
    setAnswered([...answered.filter((one) => one.question.id !== question.id), { question, option }]);
  return { name, setName, answered, answer, learned, open };
}

export function LearnDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const { name, setName, answered, answer, learned, open } = useLearned(runId);
  const { data } = learned;
  const isReplacing = readDraft(newDraft) !== undefined;
  return (
    <Dialog
      title="Learn a workflow"
      onClose={onClose}
      isWide
      footer={
        <Button
          look="main"
          isBusy={open.isPending}
          disabled={data === undefined || learned.isPlaceholderData}
          onClick={() => open.mutate()}
        >
          {isReplacing ? 'Open in the editor, in place of the draft there' : 'Open in the editor'}
        </Button>
      }
    >
      <p className="dim">
        The calls of this run, as a workflow that makes them again. Nothing is called now, and nothing is deployed.
      </p>
      <ProblemNote error={learned.error ?? open.error} />
      {data === undefined && learned.error === null && <Skeleton />}
      {data !== undefined && (
        <>
          <label className="field">
            <span className="label">Name</span>
            <input
              className="input"
              placeholder="learned"
              maxLength={63}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <Questions open={data.questions} answered={answered} onAnswer={answer} />
          <Findings {...data} />
        </>
      )}
    </Dialog>
  );
}

interface QuestionsProps {
  readonly open: readonly Question[];
  readonly answered: Answered;
  readonly onAnswer: (question: Question, option: number) => void;
}

function Questions({ open, answered, onAnswer }: QuestionsProps) {
  const isOpen = ({ id }: Question): boolean => !answered.some(({ question }) => question.id === id);
  const all = [...answered, ...open.filter(isOpen).map((question) => ({ question, option: 0 }))];
  return all.map(({ question, option }) => (
    <fieldset key={question.id} className="field">
      <legend className="label">{question.text}</legend>
      {question.options.map((text, at) => (
        <label key={text} className="row">
          <input type="radio" checked={at === option} onChange={() => onAnswer(question, at)} />
          <span className="mono cut">{text}</span>
        </label>
      ))}
    </fieldset>
  ));
}

function Findings({ source, inputs, leftOut, notes, replay, findings }: LearnedWorkflow) {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return (
    <div className="col">
      {replay.same ? (
        <p>Replayed with the recorded answers, it makes the same calls with the same arguments.</p>
      ) : (
        <Warning>
          Replayed with the recorded answers, it does not make the same calls:
          {replay.differences.map(({ path, message }) => (
            <div key={`${path} ${message}`}>
              {path}: {message}
            </div>
          ))}
        </Warning>
      )}
      <LineWarnings findings={errors} />
      <p>{inputs.length === 0 ? 'It has no inputs.' : `Its inputs: ${inputs.join(', ')}.`}</p>
      {leftOut.length > 0 && (
        <details>
          <summary>{countText(leftOut.length, 'call')} left out</summary>
          <ul>
            {leftOut.map(({ path, why }) => (
              <li key={path}>
                {path}: <span className="dim">{why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {notes.length > 0 && (
        <ul>
          {notes.map(({ step, note }) => (
            <li key={`${step} ${note}`}>
              {step}: {note}
            </li>
          ))}
        </ul>
      )}
      <div className="code">
        <span className="copy">
          <CopyButton text={source} label="Copy the draft" />
        </span>
        <pre className="mono small learned">{source}</pre>
      </div>
    </div>
  );
}

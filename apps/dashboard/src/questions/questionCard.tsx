/** An open question: its message, form, run and deadline. */
import { type Question, ProblemError } from '@baton/api/client';
import type { JsonObject } from '@baton/primitives';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { defaultsOf, fieldsOf, missingIn, SchemaForm } from '../parts/schemaForm.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { AskedCall } from './askedCall.tsx';

import './questions.css';

interface QuestionCardProps {
  readonly question: Question;
  readonly isInRun?: boolean;
}

const onExpireCharacters = 80;

export function QuestionCard({ question, isInRun = false }: QuestionCardProps) {
  const { message, runId, workflow, version, step, askedAt, expiresAt, onExpire, url } = question;
  return (
    <section className="question" aria-label={`Question of ${workflow}`}>
      <Message text={message} />
      {!isInRun && (
        <p className="small dim">
          <Link href={`/runs/${runId}?step=${encodeURIComponent(step)}`}>
            {workflow}
            {version === null ? '' : `@${version}`} · {step}
          </Link>{' '}
          asked <TimeText at={askedAt} />
        </p>
      )}
      {expiresAt !== undefined && (
        <p className="small dim">
          It expires <TimeText at={expiresAt} />:{' '}
          {onExpire === undefined ? (
            'without an answer by then, the step fails.'
          ) : (
            <>without an answer by then, the answer is {JSON.stringify(onExpire).slice(0, onExpireCharacters)}.</>
          )}
        </p>
      )}
      <AskedCall question={question} />
      {url !== undefined && <Address url={url} />}
      <AnswerForm question={question} />
    </section>
  );
}

/** A longer first paragraph is shown as text, not as a headline. */
const headlineCharacters = 160;

/** Shows the first paragraph as the question, and the rest as its details. */
function Message({ text }: { readonly text: string }) {
  const at = text.indexOf('\n\n');
  const head = at < 0 ? text : text.slice(0, at);
  return (
    <>
      <p className={head.length > headlineCharacters ? 'message long' : 'message'}>{head}</p>
      {at >= 0 && <p className="message long">{text.slice(at).trim()}</p>}
    </>
  );
}

/** A URL that the server wants opened first. Shows its host, so that the person can decide. */
function Address({ url }: { readonly url: string }) {
  const isWeb = /^https?:\/\//.test(url);
  return (
    <div className="note warn">
      <ExternalLink size={15} />
      <div>
        The server asks you to open this address first. Check the host before you do: <code>{url}</code>{' '}
        {isWeb && (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open it
          </a>
        )}
      </div>
    </div>
  );
}

/** Whether the question is answered or closed, so that its card disappears. */
const isGone = (error: unknown): boolean => error instanceof ProblemError && [404, 409].includes(error.status);

function AnswerForm({ question: { id, form } }: { readonly question: Question }) {
  const mayAnswer = useMay('questions:answer');
  const cache = useQueryClient();
  const [answer, setAnswer] = useState<JsonObject>(() => defaultsOf(form));
  const [isBroken, setBroken] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (given: JsonObject) => client.questions.answer(id, given),
    onSuccess: ({ by }) => toast(`Answered by ${by}.`),
    // The form shows other errors. This one needs a toast, because the form disappears.
    onError: (problem) => {
      if (isGone(problem)) toastError(problem);
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ['questions'] }),
  });
  if (!mayAnswer)
    return <p className="dim small">This key may not answer questions: it lacks the scope questions:answer.</p>;
  const fields = fieldsOf(form);
  const yesNo = fields.length > 0 && fields[0]?.schema['type'] === 'boolean' ? fields[0] : undefined;
  const others = {
    type: 'object',
    properties: Object.fromEntries(fields.slice(1).map(({ name, schema }) => [name, schema])),
    required: fields.slice(1).flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
  };
  const isComplete = missingIn(yesNo === undefined ? form : others, answer).length === 0 && !isBroken;
  return (
    <form
      className="col"
      onSubmit={(event) => {
        event.preventDefault();
        if (yesNo === undefined && isComplete) mutate(answer);
      }}
    >
      {(yesNo === undefined || fields.length > 1) && (
        <SchemaForm
          schema={yesNo === undefined ? form : others}
          value={answer}
          onChange={setAnswer}
          onBroken={setBroken}
        />
      )}
      <ProblemNote error={isGone(error) ? null : error} />
      <div className="row">
        {yesNo === undefined ? (
          <Button type="submit" look="main" isBusy={isPending} disabled={!isComplete}>
            Answer
          </Button>
        ) : (
          <YesNo
            name={yesNo.name}
            isBusy={isPending}
            isComplete={isComplete}
            onChoose={(value) => mutate({ ...answer, [yesNo.name]: value })}
          />
        )}
      </div>
    </form>
  );
}

interface YesNoProps {
  readonly name: string;
  readonly isBusy: boolean;
  /** Whether every other required field has a value, and no field is broken. */
  readonly isComplete: boolean;
  readonly onChoose: (value: boolean) => void;
}

/** Two buttons, for a form whose first field is a boolean. */
function YesNo({ name, isBusy, isComplete, onChoose }: YesNoProps) {
  const [yes, no] = name.startsWith('approve') ? ['Approve', 'Reject'] : ['Yes', 'No'];
  return (
    <>
      <Button look="main" isBusy={isBusy} disabled={!isComplete} onClick={() => onChoose(true)}>
        {yes}
      </Button>
      <Button isBusy={isBusy} disabled={!isComplete} onClick={() => onChoose(false)}>
        {no}
      </Button>
      {!/^(?:approve|happened)/.test(name) && <span className="dim small">{name}</span>}
    </>
  );
}

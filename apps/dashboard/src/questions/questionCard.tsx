/** An open question: its message, form, run and deadline. */
import { type Question, ProblemError } from '@baton/api/client';
import { type JsonObject, isObject } from '@baton/primitives';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { defaultsOf, fieldsOf, missingIn, SchemaForm } from '../parts/schemaForm.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { AskedCall } from './askedCall.tsx';
import { type Decision, decisionOf, expiredText } from './decision.ts';

import './questions.css';

interface QuestionCardProps {
  readonly question: Question;
  readonly isInRun?: boolean;
  /** Whether it is chosen, to be answered with others. */
  readonly isChosen?: boolean;
  /** Absent: it cannot be chosen. */
  readonly onChoose?: () => void;
}

export function QuestionCard({ question, isInRun = false, isChosen = false, onChoose }: QuestionCardProps) {
  const { message, runId, workflow, version, step, askedAt, expiresAt, onExpire, url, form } = question;
  return (
    <article className={`question${isChosen ? ' chosen' : ''}`} aria-label={`Question of ${workflow}`}>
      <div className="row question-head">
        {onChoose !== undefined && (
          <input
            type="checkbox"
            aria-label={`Choose: ${message.slice(0, 80)}`}
            checked={isChosen}
            onChange={onChoose}
          />
        )}
        <div className="grow">
          <Message text={message} />
        </div>
      </div>
      {!isInRun && (
        <p className="small dim">
          <Link href={`/runs/${runId}?step=${encodeURIComponent(step)}`} className="inline">
            {workflow}
            {version === null ? '' : `@${version}`} · {step}
          </Link>{' '}
          asked <TimeText at={askedAt} />
        </p>
      )}
      {!isInRun && <RunInputs question={question} />}
      {expiresAt !== undefined && (
        <p className="small dim">
          It expires <TimeText at={expiresAt} />: {expiredText(form, onExpire)}.
        </p>
      )}
      <AskedCall question={question} />
      {url !== undefined && <Address url={url} />}
      <AnswerForm question={question} />
    </article>
  );
}

const inputsMax = 6;
const inputCharacters = 120;

/** What tells this run from others. */
function RunInputs({ question: { inputs } }: Pick<QuestionCardProps, 'question'>) {
  if (!isObject(inputs)) return null;
  const all = Object.entries(inputs);
  if (all.length === 0) return null;
  return (
    <dl className="facts small question-inputs">
      {all.slice(0, inputsMax).map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className="breaks">
            {(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, inputCharacters)}
          </dd>
        </Fragment>
      ))}
      {all.length > inputsMax && (
        <>
          <dt />
          <dd className="dim">and {all.length - inputsMax} more</dd>
        </>
      )}
    </dl>
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
  const yesNo = decisionOf(form);
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
            decision={yesNo}
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
  readonly decision: Decision;
  readonly isBusy: boolean;
  /** Whether every other required field has a value, and no field is broken. */
  readonly isComplete: boolean;
  readonly onChoose: (value: boolean) => void;
}

/** Two buttons, for a form whose first field is a boolean. */
function YesNo({ decision: { name, yes, no }, isBusy, isComplete, onChoose }: YesNoProps) {
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

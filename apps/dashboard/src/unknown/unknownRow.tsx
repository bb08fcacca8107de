/** One call of unknown outcome: what was sent, what finds out whether it happened, and what a person may press. */
import type { UnknownCall } from '@baton/api/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { unknownOutcomesKey } from '../api/unknownOutcomes.ts';
import { Button } from '../parts/button.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { RetryDialog } from '../run/retryDialog.tsx';
import { shortRunId } from '../runs/shortRunId.ts';

export function UnknownRow({ call }: { readonly call: UnknownCall }) {
  const { run, workflow, version, step, target, arguments: sent, at } = call;
  const address = `/runs/${run}?step=${encodeURIComponent(step)}`;
  return (
    <tr>
      <td className="call">
        <Link href={address} className="plain name break">
          {target ?? step}
        </Link>
        <code className="sent">{sent}</code>
        <span className="narrow-only small dim break">
          {workflow} · {step}
        </span>
      </td>
      <td className="wide-only">
        <Link href={address} className="plain">
          {workflow}
          {version === null ? '' : `@${version}`}
        </Link>
        <span className="block small dim break">{step}</span>
      </td>
      <td className="wide-only very-wide-only">
        <InstantText at={at} />
      </td>
      <td className="wide-only">
        <FindsOut call={call} />
      </td>
      <td className="right">
        <Actions call={call} />
      </td>
    </tr>
  );
}

const checkedWords = {
  undecided: 'could not say',
  'not-happened': 'found that it did not happen',
};

function FindsOut({ call: { check, checked, question, target, status } }: { readonly call: UnknownCall }) {
  if (status === 'running' || status === 'queued') return <span className="dim">The run goes on.</span>;
  const server = target?.split('/')[0] ?? 'the server';
  if (check === undefined)
    return (
      <span className="dim">
        {question === undefined ? `Look at ${server}: no check is declared.` : `Look at ${server}, then answer.`}
      </span>
    );
  return (
    <span>
      <code>{check}</code>{' '}
      <span className="dim">{checked === undefined ? 'asks the server' : checkedWords[checked]}</span>
    </span>
  );
}

function Actions({ call }: { readonly call: UnknownCall }) {
  const { run, workflow, version, status, question, retriedAs } = call;
  const mayWrite = useMay('runs:write');
  const mayAnswer = useMay('questions:answer');
  const [isOpen, setIsOpen] = useState(false);
  const [, go] = useLocation();
  if (question !== undefined) return mayAnswer ? <AnswerButtons question={question} /> : null;
  if (retriedAs !== undefined)
    return (
      <Link href={`/runs/${retriedAs}`} className="small">
        Retried as {shortRunId(retriedAs)}
      </Link>
    );
  if (!mayWrite || !(status === 'failed' || status === 'cancelled')) return null;
  return (
    <>
      <Button isTiny onClick={() => setIsOpen(true)}>
        Retry…
      </Button>
      {isOpen && (
        <RetryDialog
          run={{ id: run, workflow, version: version ?? undefined }}
          onClose={() => setIsOpen(false)}
          onStarted={(id) => {
            setIsOpen(false);
            toast('A new run continues where this one ended.');
            if (id !== undefined) go(`/runs/${id}`);
          }}
        />
      )}
    </>
  );
}

function AnswerButtons({ question }: { readonly question: string }) {
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (happened: boolean) => client.questions.answer(question, { happened }),
    onSuccess: ({ by }) => toast(`Answered by ${by}.`),
    onError: toastError,
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: ['questions'] });
      void cache.invalidateQueries({ queryKey: unknownOutcomesKey });
    },
  });
  return (
    <span className="row answers">
      <Button isTiny isBusy={isPending} onClick={() => mutate(true)}>
        It happened
      </Button>
      <Button isTiny isBusy={isPending} onClick={() => mutate(false)}>
        It did not: call again
      </Button>
    </span>
  );
}

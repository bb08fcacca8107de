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
import { useIsNarrow } from '../parts/useIsNarrow.ts';
import type { Told } from '../run/lostCalls.tsx';
import { RetryDialog } from '../run/retryDialog.tsx';
import { shortRunId } from '../runs/shortRunId.ts';

export function UnknownRow({ call }: { readonly call: UnknownCall }) {
  const { run, workflow, version, step, target, arguments: sent, at } = call;
  const isNarrow = useIsNarrow();
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
        {isNarrow && (
          <span className="block small">
            <FindsOut call={call} />
          </span>
        )}
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
      <td className="wide-only">{!isNarrow && <FindsOut call={call} />}</td>
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

/** Told to the run that would go on: of a child run, the one above it. */
const retryOf = ({ run, workflow, version, step, retry }: UnknownCall) =>
  retry ?? { run, workflow, version, path: step };

function Actions({ call }: { readonly call: UnknownCall }) {
  const { status, question, retriedAs } = call;
  const mayWrite = useMay('runs:write');
  const mayAnswer = useMay('questions:answer');
  /** What was pressed; an empty list: nothing is known of the call. */
  const [told, setTold] = useState<Told>();
  const [, go] = useLocation();
  const cache = useQueryClient();
  const { run, workflow, version, path } = retryOf(call);
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
      <span className="row answers">
        {mayAnswer && (
          <>
            <Button isTiny onClick={() => setTold([{ path, happened: true }])}>
              It happened…
            </Button>
            <Button isTiny onClick={() => setTold([{ path, happened: false }])}>
              It did not…
            </Button>
          </>
        )}
        <Button isTiny onClick={() => setTold([])}>
          Retry…
        </Button>
      </span>
      {told !== undefined && (
        <RetryDialog
          run={{ id: run, workflow, version: version ?? undefined }}
          told={told}
          onClose={() => setTold(undefined)}
          onStarted={(id) => {
            setTold(undefined);
            void cache.invalidateQueries({ queryKey: unknownOutcomesKey });
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

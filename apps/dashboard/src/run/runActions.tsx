/** The actions on a run. */
import type { RerunResult } from '@baton/api/client';
import { isEnded, letsItemsFail } from '@baton/engine';
import { useMutation } from '@tanstack/react-query';
import { Ellipsis, GraduationCap, RotateCcw, Send, Square, Terminal, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { apiAddress, client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { copyAndSay } from '../parts/copyText.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import type { RunMoment } from './fold.ts';
import { LearnDialog } from './learnDialog.tsx';
import { RerunDialog } from './rerunDialog.tsx';
import { RetryDialog } from './retryDialog.tsx';
import { isCancelling } from './runState.ts';
import { SignalDialog } from './signalDialog.tsx';
import { UndoDialog } from './undoDialog.tsx';

/**
 * A retry needs a dialog only if there is a newer version or another run to choose, if the run was retried before, or if a
 * write may happen a second time.
 */
const mustAskBeforeRetry = ({ newerVersion, retriedAs, retryInstead, again }: RerunResult): boolean =>
  newerVersion !== undefined ||
  retriedAs !== undefined ||
  retryInstead !== undefined ||
  again.some(({ effect, outcome }) => effect === 'write' && outcome !== 'failed');

const copyItems = (runId: string) =>
  [
    { label: 'Copy as baton command', text: `npx baton runs show ${runId}` },
    {
      label: 'Copy as curl',
      text: `curl -H "Authorization: Bearer $BATON_API_KEY" ${apiAddress()}/v1/runs/${runId}`,
    },
    { label: 'Copy as a recording command', text: `npx baton runs record ${runId}` },
  ].map(({ label, text }) => ({
    label,
    icon: <Terminal size={14} />,
    onChoose: () => void copyAndSay(text, 'Copied.'),
  }));

type Open = 'cancel' | 'retry' | 'rerun' | 'undo' | 'signal' | 'learn' | undefined;

export function RunActions({ moment }: { readonly moment: RunMoment }) {
  const { run } = moment;
  const mayWrite = useMay('runs:write');
  const mayAuthor = useMay('workflows:write');
  const [open, setOpen] = useState<Open>();
  const [, go] = useLocation();
  const over = isEnded(run);
  const hasSucceeded = run.status === 'succeeded';
  const mayRetry = !hasSucceeded || letsItemsFail(moment.trace);
  const close = (): void => setOpen(undefined);
  const goOn = (id: string | undefined): void => {
    close();
    toast('A new run continues where this one ended.');
    if (id !== undefined) go(`/runs/${id}`);
  };
  const retry = useMutation({
    mutationFn: async () => {
      const preview = await client.runs.retry(run.id, { preview: true });
      if (mustAskBeforeRetry(preview)) return undefined;
      return client.runs.retry(run.id, { retriedAs: preview.retriedAs ?? null });
    },
    onSuccess: (started) => (started === undefined ? setOpen('retry') : goOn(started.id)),
    onError: toastError,
  });
  const signal = { label: 'Send a signal…', icon: <Send size={14} />, onChoose: () => setOpen('signal'), isOff: over };
  const learn = { label: 'Learn a workflow…', icon: <GraduationCap size={14} />, onChoose: () => setOpen('learn') };
  const isSession = run.session !== undefined;
  const undo = {
    label: 'Undo what it wrote…',
    icon: <Undo2 size={14} />,
    onChoose: () => setOpen('undo'),
    isOff: !over,
  };
  const items = [
    ...(mayWrite ? [signal] : []),
    ...(mayAuthor && !isSession ? [learn] : []),
    ...copyItems(run.id),
    ...(mayWrite && !isSession ? [undo] : []),
  ];
  return (
    <>
      {mayAuthor && isSession && (
        <Button icon={<GraduationCap size={13} />} onClick={learn.onChoose}>
          Learn a workflow…
        </Button>
      )}
      {mayWrite && !over && (
        <Button icon={<Square size={13} />} disabled={isCancelling(run)} onClick={() => setOpen('cancel')}>
          {isCancelling(run) ? 'Cancelling' : 'Cancel'}
        </Button>
      )}
      {mayWrite && over && !isSession && mayRetry && (
        <Button icon={<RotateCcw size={13} />} isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {hasSucceeded ? 'Retry failed items' : 'Retry'}
        </Button>
      )}
      {mayWrite && over && !isSession && <Button onClick={() => setOpen('rerun')}>Run again…</Button>}
      <Menu label="More" icon={<Ellipsis size={15} />} items={items} />
      {open === 'cancel' && <CancelDialog runId={run.id} onClose={close} />}
      {open === 'retry' && <RetryDialog run={run} onStarted={goOn} onClose={close} />}
      {open === 'rerun' && <RerunDialog moment={moment} onClose={close} />}
      {open === 'undo' && <UndoDialog runId={run.id} onClose={close} />}
      {open === 'learn' && <LearnDialog runId={run.id} onClose={close} />}
      {open === 'signal' && <SignalDialog moment={moment} onClose={close} />}
    </>
  );
}

function CancelDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.runs.cancel(runId, { reason: reason.trim() === '' ? undefined : reason.trim() }),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title="Cancel this run?"
      action="Cancel the run"
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>
        Baton cancels running calls and gives them a grace period. <code>undo</code> and <code>finally</code> steps
        still run. A cancelled run cannot go on; a retry starts a new one that keeps finished steps.
      </p>
      <label className="field">
        <span className="label">Reason</span>
        <input className="input" maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <ProblemNote error={error} />
    </ConfirmDialog>
  );
}

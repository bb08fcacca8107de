/** Cancels or retries many runs: the chosen ones, or all that match the filters. */
import type { ManyRuns, RepeatedCall, RunInList } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw, Square, X } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import type { RunQuery } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';

type Action = 'cancel' | 'retry';

interface BulkBarProps {
  readonly runs: readonly RunInList[];
  readonly chosen: ReadonlySet<string>;
  readonly query: RunQuery;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

export function BulkBar({ runs, chosen, query, isFiltered, onClear }: BulkBarProps) {
  const mayWrite = useMay('runs:write');
  const [action, setAction] = useState<{ readonly kind: Action; readonly isFilter: boolean }>();
  // Chosen runs that another filter leaves out are not acted on.
  const picked = runs.filter(({ id }) => chosen.has(id));
  const isFilter = picked.length === 0;
  if (!mayWrite || runs.length === 0 || (isFilter && !isFiltered)) return null;
  const what = isFilter ? 'all that fit the filters' : `${picked.length} chosen`;
  return (
    <div className="bulk row" role="toolbar" aria-label="Actions on several runs">
      <span className="dim small">{isFilter ? 'All that fit the filters:' : `${picked.length} chosen:`}</span>
      <Button isTiny icon={<Square size={12} />} onClick={() => setAction({ kind: 'cancel', isFilter })}>
        Cancel…
      </Button>
      <Button isTiny icon={<RotateCcw size={12} />} onClick={() => setAction({ kind: 'retry', isFilter })}>
        Retry…
      </Button>
      {!isFilter && <Button look="quiet" isTiny label="Choose none" icon={<X size={13} />} onClick={onClear} />}
      {action !== undefined && (
        <BulkDialog
          action={action.kind}
          what={what}
          target={action.isFilter ? { query } : { picked }}
          onClose={() => setAction(undefined)}
          onDone={onClear}
        />
      )}
    </div>
  );
}

type Target = { readonly query: RunQuery } | { readonly picked: readonly RunInList[] };

type Preview = Pick<ManyRuns, 'count' | 'writes'>;

const isLive = ({ status }: RunInList): boolean => status === 'queued' || status === 'running' || status === 'waiting';
/** What a run that was retried left undone is the matter of the new run. */
const mayRetry = ({ status, retriedAs }: RunInList): boolean =>
  (status === 'failed' || status === 'cancelled') && retriedAs === undefined;

/** A child run whose parent is retried is not retried by itself: the parent goes on from it. */
function pickedFor(action: Action, picked: readonly RunInList[]): readonly RunInList[] {
  if (action === 'cancel') return picked.filter(isLive);
  const unsuccessful = picked.filter(mayRetry);
  const ids = new Set(unsuccessful.map(({ id }) => id));
  return unsuccessful.filter(({ parent }) => parent === undefined || !ids.has(parent.runId));
}

/** The action on all runs that match: the server finds them. */
const atOnce = (action: Action, body: Parameters<typeof client.runs.retryMany>[0]): Promise<ManyRuns> =>
  action === 'cancel' ? client.runs.cancelMany(body) : client.runs.retryMany(body);

async function previewOf(action: Action, target: Target): Promise<Preview> {
  if ('query' in target) {
    return atOnce(action, { filter: target.query, preview: true });
  }
  const runs = pickedFor(action, target.picked);
  if (action === 'cancel') return { count: runs.length, writes: 0 };
  const previews = await Promise.all(runs.map(({ id }) => client.runs.retry(id, { preview: true })));
  const isWrite = ({ effect }: RepeatedCall): boolean => effect === 'write';
  return { count: runs.length, writes: previews.flatMap(({ again }) => again).filter(isWrite).length };
}

async function perform(action: Action, target: Target, { count }: Preview): Promise<number> {
  if ('query' in target) {
    const { done = count } = await atOnce(action, { filter: target.query, expect: count });
    return done;
  }
  const runs = pickedFor(action, target.picked);
  const act = (id: string) =>
    action === 'cancel' ? client.runs.cancel(id) : client.runs.retry(id, { retriedAs: null });
  await Promise.all(runs.map(({ id }) => act(id)));
  return runs.length;
}

/** `countText` of the engine would bring the engine's sentences into the first load. */
const runsText = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`;

function doneText(action: Action, count: number): string {
  if (action === 'cancel') return count === 1 ? 'is being cancelled' : 'are being cancelled';
  return count === 1 ? 'was started again' : 'were started again';
}

interface BulkDialogProps {
  readonly action: Action;
  readonly what: string;
  readonly target: Target;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function BulkDialog({ action, what, target, onClose, onDone }: BulkDialogProps) {
  const cache = useQueryClient();
  const { data: preview, error } = useQuery({
    queryKey: ['bulk', action, target],
    queryFn: () => previewOf(action, target),
    gcTime: 0,
    staleTime: 0,
  });
  const {
    mutate,
    error: failed,
    isPending,
  } = useMutation({
    mutationFn: (seen: Preview) => perform(action, target, seen),
    onSuccess: (count) => {
      toast(`${runsText(count)} ${doneText(action, count)}.`);
      void cache.invalidateQueries({ queryKey: ['runs'] });
      void cache.invalidateQueries({ queryKey: ['causes'] });
      onDone();
      onClose();
    },
  });
  const verb = action === 'cancel' ? 'Cancel' : 'Retry';
  const count = preview?.count ?? 0;
  return (
    <ConfirmDialog
      title={`${verb} runs: ${what}`}
      action={`${verb} ${preview === undefined ? '… runs' : runsText(count)}`}
      isBusy={isPending || preview === undefined || count === 0}
      onConfirm={() => preview !== undefined && mutate(preview)}
      onClose={onClose}
    >
      <ProblemNote error={error ?? failed} />
      {action === 'cancel' ? (
        <p>
          Running calls get a grace period. <code>undo</code> and <code>finally</code> steps still run. Runs that have
          ended stay as they are.
        </p>
      ) : (
        <p>
          Each becomes a new run of the same version with the same inputs. Outcomes of finished steps are kept. Runs
          that were retried before are left out.
        </p>
      )}
      {preview !== undefined && preview.count === 0 && (
        <p className="dim">
          {action === 'cancel'
            ? 'None of them is going on.'
            : 'None of them failed or was cancelled, and was not retried yet.'}
        </p>
      )}
      {preview !== undefined && preview.writes > 0 && (
        <Warning>
          {preview.writes} {preview.writes === 1 ? 'call' : 'calls'} with the effect <code>write</code> would be made
          again.
        </Warning>
      )}
    </ConfirmDialog>
  );
}

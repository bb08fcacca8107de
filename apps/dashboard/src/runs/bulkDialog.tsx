/** Says what the cancelling or retrying of many runs does, and does it. */
import type { ManyRuns, RepeatedCall, RunInList } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import type { RunQuery } from '../api/queries.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';

export type Action = 'cancel' | 'retry';

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

/** Of a retry: the newest version of each workflow, or that of each run. */
type Version = 'latest' | undefined;

/** The action on all runs that match: the server finds them. */
const atOnce = (
  action: Action,
  version: Version,
  body: Parameters<typeof client.runs.cancelMany>[0],
): Promise<ManyRuns> =>
  action === 'cancel' ? client.runs.cancelMany(body) : client.runs.retryMany({ ...body, ...defined({ version }) });

async function previewOf(action: Action, target: Target, version: Version): Promise<Preview> {
  if ('query' in target) {
    return atOnce(action, version, { filter: target.query, preview: true });
  }
  const runs = pickedFor(action, target.picked);
  if (action === 'cancel') return { count: runs.length, writes: 0 };
  const previews = await Promise.all(
    runs.map(({ id }) => client.runs.retry(id, { preview: true, ...defined({ version }) })),
  );
  const isWrite = ({ effect }: RepeatedCall): boolean => effect === 'write';
  return { count: runs.length, writes: previews.flatMap(({ again }) => again).filter(isWrite).length };
}

interface Done {
  readonly count: number;
  /** Why the first of those stayed as it was that did. */
  readonly refusal: string | undefined;
}

async function perform(action: Action, target: Target, version: Version, { count }: Preview): Promise<Done> {
  if ('query' in target) {
    const { done = count, refused = [] } = await atOnce(action, version, { filter: target.query, expect: count });
    return { count: done, refusal: refused[0]?.detail };
  }
  const runs = pickedFor(action, target.picked);
  const act = (id: string) =>
    action === 'cancel' ? client.runs.cancel(id) : client.runs.retry(id, { retriedAs: null, ...defined({ version }) });
  await Promise.all(runs.map(({ id }) => act(id)));
  return { count: runs.length, refusal: undefined };
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
  readonly onDone?: () => void;
}

export function BulkDialog({ action, what, target, onClose, onDone }: BulkDialogProps) {
  const cache = useQueryClient();
  const [version, setVersion] = useState<Version>();
  const { data: preview, error } = useQuery({
    queryKey: ['bulk', action, target, version],
    queryFn: () => previewOf(action, target, version),
    gcTime: 0,
    staleTime: 0,
  });
  const {
    mutate,
    error: failed,
    isPending,
  } = useMutation({
    mutationFn: (seen: Preview) => perform(action, target, version, seen),
    onSuccess: ({ count, refusal }) => {
      toast(`${runsText(count)} ${doneText(action, count)}.${refusal === undefined ? '' : ` Not all: ${refusal}`}`);
      void cache.invalidateQueries({ queryKey: ['runs'] });
      void cache.invalidateQueries({ queryKey: ['causes'] });
      onDone?.();
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
        <RetryChoice version={version} onVersion={setVersion} />
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

interface RetryChoiceProps {
  readonly version: Version;
  readonly onVersion: (version: Version) => void;
}

const RetryChoice = ({ version, onVersion }: RetryChoiceProps) => (
  <>
    <p>
      Each becomes a new run with the same inputs. Outcomes of finished steps are kept. Runs that were retried before
      are left out.
    </p>
    <label className="field">
      <span className="label">On the version</span>
      <select
        className="input"
        value={version ?? ''}
        onChange={({ target: { value } }) => onVersion(value === 'latest' ? 'latest' : undefined)}
      >
        <option value="">of each run</option>
        <option value="latest">newest of its workflow</option>
      </select>
    </label>
  </>
);

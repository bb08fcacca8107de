/** The dialog before an undo: the calls that take back what the run wrote, and what stays. */
import type { UndoResult } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';
import { shortRunId } from '../runs/shortRunId.ts';

export function UndoDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const preview = useQuery({
    queryKey: ['undo', runId],
    queryFn: () => client.runs.undo(runId, { preview: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: () => client.runs.undo(runId),
    onSuccess: ({ id }) => {
      onClose();
      toast('A run undoes what this one wrote.');
      if (id !== undefined) go(`/runs/${id}`);
    },
  });
  const calls = preview.data?.calls.length ?? 0;
  return (
    <Dialog
      title="Undo"
      onClose={onClose}
      isWide
      footer={
        <Button look="main" isBusy={start.isPending} disabled={calls === 0} onClick={() => start.mutate()}>
          {calls === 0 ? 'Undo' : `Undo, with ${countText(calls, 'call')}`}
        </Button>
      }
    >
      <ProblemNote error={preview.error ?? start.error} />
      {preview.data !== undefined && <UndoPreview {...preview.data} />}
    </Dialog>
  );
}

const shownMax = 20;

function UndoPreview({ id, calls, left, children, retriedAs, keptFrom }: UndoResult) {
  return (
    <div className="col">
      {id !== undefined && (
        <p>
          The run <RunLink id={id} /> is its undo{calls.length > 0 && ', and what is left of it can be undone'}.
        </p>
      )}
      {retriedAs !== undefined && (
        <Warning>
          The run <RunLink id={retriedAs} /> goes on from it, and keeps what it wrote: undo that one first.
        </Warning>
      )}
      {keptFrom !== undefined && (
        <Warning>
          What the run <RunLink id={keptFrom} /> before it wrote, and it kept, stays: undo that one, too.
        </Warning>
      )}
      <p>
        {calls.length === 0
          ? nothingText(id, left.length + children.length)
          : `${countText(calls.length, 'call')}, in this order:`}
      </p>
      <ul className="again">
        {calls.slice(0, shownMax).map(({ path, target, call, arguments: given, check }) => (
          <li key={path} className="row">
            <span className="breaks grow">
              {path} <span className="faint">{target}</span>
            </span>
            <span className="small breaks">
              {call} {given === undefined ? `if ${check?.call} finds that it happened` : JSON.stringify(given)}
            </span>
          </li>
        ))}
        {calls.length > shownMax && <li className="dim small">and {calls.length - shownMax} more</li>}
      </ul>
      {left.length + children.length > 0 && <p>What stays:</p>}
      <ul className="again">
        {left.slice(0, shownMax).map(({ path, target, why }) => (
          <li key={`${path} ${why}`} className="row">
            <span className="breaks grow">
              {path} <span className="faint">{target}</span>
            </span>
            <span className="small dim breaks">{why}</span>
          </li>
        ))}
        {left.length > shownMax && <li className="dim small">and {left.length - shownMax} more</li>}
        {children.slice(0, shownMax).map((child) => (
          <li key={child.id} className="row">
            <span className="breaks grow">{child.path}</span>
            <span className="small dim">
              What the child run <RunLink id={child.id} /> wrote: undo that one, too.
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const nothingText = (id: string | undefined, leftCount: number): string =>
  id !== undefined && leftCount === 0 ? 'All that it wrote is undone already.' : 'No call undoes anything.';

const RunLink = ({ id }: { readonly id: string }) => <Link href={`/runs/${id}`}>{shortRunId(id)}</Link>;

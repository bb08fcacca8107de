/** What the failed runs of the list failed for, the most frequent first. Each cause filters the list. */
import type { FailureCause } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import type { RunQuery } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { BulkDialog } from './bulkDialog.tsx';

import './causes.css';

const shownMax = 5;

/** `query`: of the list; causes have no status and no pages. */
export const useCauses = ({ status: _status, ...filter }: RunQuery) => {
  const query = withoutPages(filter);
  return useQuery({
    queryKey: ['causes', query],
    queryFn: ({ signal }) => client.runs.causes(query, { signal }),
    staleTime: 10_000,
  });
};

const withoutPages = ({ limit: _limit, cursor: _cursor, ...filter }: RunQuery) => filter;

interface CauseListProps {
  /** Of the list. */
  readonly query: RunQuery;
  readonly onChoose: (cause: FailureCause) => void;
}

export function CauseList({ query, onChoose }: CauseListProps) {
  const { data } = useCauses(query);
  const mayWrite = useMay('runs:write');
  const [isWhole, setIsWhole] = useState(false);
  const [retried, setRetried] = useState<FailureCause>();
  // One run is its own cause.
  if (data === undefined || data.data.reduce((runs, { count }) => runs + count, 0) < 2) return null;
  const shown = isWhole ? data.data : data.data.slice(0, shownMax);
  const hidden = data.data.length - shown.length;
  return (
    <section className="causes" aria-labelledby="causes-title">
      <h2 id="causes-title" className="small dim">
        Causes
      </h2>
      <ul>
        {shown.map((cause) => (
          <CauseRow
            key={cause.run}
            cause={cause}
            onChoose={() => onChoose(cause)}
            onRetry={mayWrite ? () => setRetried(cause) : undefined}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <Button look="quiet" isTiny onClick={() => setIsWhole(true)}>
          {hidden} more
        </Button>
      )}
      {retried !== undefined && (
        <BulkDialog
          action="retry"
          what={retried.cause === '' ? retried.code : retried.cause}
          target={{ query: { ...withoutPages(query), like: retried.run } }}
          onClose={() => setRetried(undefined)}
        />
      )}
      {data.cut === true && <p className="small dim">There are more: choose a shorter time, or a workflow.</p>}
    </section>
  );
}

interface CauseRowProps {
  readonly cause: FailureCause;
  readonly onChoose: () => void;
  readonly onRetry: (() => void) | undefined;
}

function CauseRow({ cause, onChoose, onRetry }: CauseRowProps) {
  const { workflow, undo, step, code, count, retried, counts, last } = cause;
  return (
    <li className="row">
      <button type="button" className="cause" title={cause.message} onClick={onChoose}>
        <b className="num">{count.toLocaleString('en')}</b>
        <Bars counts={counts} />
        <span className="what">
          <span className="cut">{cause.cause === '' ? code : cause.cause}</span>
          <span className="cut small dim">
            {undo ? `undo of ${workflow}` : workflow}
            {step === undefined ? '' : ` · ${step}`} · {code}
          </span>
        </span>
        <span className="when small dim">
          <TimeText at={last} />
          {retried > 0 && `, ${retried.toLocaleString('en')} retried`}
        </span>
      </button>
      {onRetry !== undefined && (
        <Button isTiny disabled={retried === count} icon={<RotateCcw size={12} />} onClick={onRetry}>
          Retry…
        </Button>
      )}
    </li>
  );
}

/** How many over time. The count beside it says it in words. */
function Bars({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <span className="cause-bars s-failed" aria-hidden>
      {counts.map((count, at) => (
        <i key={at} style={{ height: `${Math.ceil((count / most) * 100)}%` }} />
      ))}
    </span>
  );
}

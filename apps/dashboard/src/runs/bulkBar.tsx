/** Cancels or retries many runs: the chosen ones, or all that match the filters. */
import type { RunInList } from '@baton/api/client';
import { RotateCcw, Square, X } from 'lucide-react';
import { useState } from 'react';

import type { RunQuery } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { type Action, BulkDialog } from './bulkDialog.tsx';

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

import { ArrowUp } from 'lucide-react';

import type { NewRuns } from './useLiveRuns.ts';

/** A button above the list that shows the new runs: they never move its rows by themselves. */
export function NewRows({ count, show }: NewRuns) {
  if (count === 0) return null;
  return (
    <button type="button" className="new-rows" onClick={show}>
      <ArrowUp size={14} /> {count} new
    </button>
  );
}

/** The newest runs of a workflow. */
import { useMemo } from 'react';
import { Link } from 'wouter';

import { useRunPages } from '../api/queries.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { NewRows } from '../runs/newRows.tsx';
import { RunsTable } from '../runs/runsTable.tsx';
import { useLiveRuns } from '../runs/useLiveRuns.ts';

const noneChosen: ReadonlySet<string> = new Set();

export function RunsTab({ id }: { readonly id: string }) {
  const query = useMemo(() => ({ workflow: id }), [id]);
  const { data, error, isPending } = useRunPages(query);
  const runs = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const newRuns = useLiveRuns(query, runs);
  if (isPending) return <Skeleton />;
  if (data === undefined) {
    return (
      <div className="body">
        <ProblemNote error={error} />
      </div>
    );
  }
  return (
    <div className="body flush">
      <NewRows {...newRuns} />
      {runs.length === 0 ? (
        <Empty title="It never ran" command={`npx baton run ${id} --watch`} />
      ) : (
        <>
          <RunsTable runs={runs} chosen={noneChosen} cursor={-1} isShort />
          <p className="row more">
            <Link href={`/runs?workflow=${id}&time=all`}>All runs, with filters</Link>
          </p>
        </>
      )}
    </div>
  );
}

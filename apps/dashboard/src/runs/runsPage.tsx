/** The list of runs. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { useRunPages, useWorkflows } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import type { FilterStep } from '../parts/textFilter.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { BulkBar } from './bulkBar.tsx';
import { CauseList } from './causeList.tsx';
import { type SetParams, FilterBar } from './filterBar.tsx';
import { HistogramView, StatusCounts, useHistogram } from './histogram.tsx';
import { NewRows } from './newRows.tsx';
import { type RunListFilter, isFiltered, queryOf, readFilter, spanNames, timeOf } from './runFilter.ts';
import { RunsTable } from './runsTable.tsx';
import { useLiveRuns } from './useLiveRuns.ts';
import { useRowKeys } from './useRowKeys.ts';

import './runs.css';

export function RunsPage() {
  const search = useSearch();
  const [, go] = useLocation();
  const openedAt = useMemo(() => Date.now(), []);
  const filter = useMemo(() => readFilter(new URLSearchParams(search)), [search]);
  const query = useMemo(() => queryOf(filter, openedAt), [filter, openedAt]);
  const time = timeOf(filter, openedAt);
  const histogram = useHistogram(query, time, filter.range !== undefined);
  const onQuery = useCallback(
    (next: string, step?: FilterStep) => go(next === '' ? '/runs' : `/runs?${next}`, step),
    [go],
  );
  const onSet: SetParams = (change, step) => {
    const params = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) {
      params.delete(name);
      for (const one of value === undefined ? [] : [value].flat()) params.append(name, one);
    }
    onQuery(params.toString(), step);
  };
  const onToggle = (status: string): void => {
    const now = filter.values.status ?? [];
    onSet({ status: now.includes(status) ? now.filter((one) => one !== status) : [...now, status] });
  };
  return (
    <>
      <PageHead title="Runs" />
      <div className="body flush">
        <StatusCounts histogram={histogram} chosen={filter.values.status ?? []} onToggle={onToggle} />
        {time !== undefined && histogram !== undefined && (
          <HistogramView
            histogram={histogram}
            onChoose={({ from, to }) => onSet({ from: String(from), to: String(to) })}
          />
        )}
        <FilterBar filter={filter} query={search} onSet={onSet} onQuery={onQuery} />
        {filter.values.status?.includes('failed') === true && filter.values.like === undefined && (
          <CauseList query={query} onChoose={({ run }) => onSet({ like: run })} />
        )}
        <RunList filter={filter} openedAt={openedAt} onAll={() => onSet({ time: 'all' })} />
      </div>
    </>
  );
}

interface RunListProps {
  readonly filter: RunListFilter;
  readonly openedAt: number;
  readonly onAll: () => void;
}

function RunList({ filter, openedAt, onAll }: RunListProps) {
  const query = useMemo(() => queryOf(filter, openedAt), [filter, openedAt]);
  const { data, dataUpdatedAt, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useRunPages(query);
  const runs = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [, go] = useLocation();
  const newRuns = useLiveRuns(query, runs);
  const onChoose = useCallback((id: string) => {
    setChosen((now) => (now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id])));
  }, []);
  const cursor = useRowKeys({
    count: runs.length,
    onOpen: (at) => runs[at] !== undefined && go(`/runs/${runs[at].id}`),
    onMark: (at) => runs[at] !== undefined && onChoose(runs[at].id),
  });
  if (isPending) return <Skeleton rows={12} />;
  if (data === undefined)
    return (
      <div className="body">
        <ProblemNote error={error} />
      </div>
    );
  return (
    <>
      <ProblemNote error={error} />
      <NewRows {...newRuns} />
      <BulkBar
        runs={runs}
        chosen={chosen}
        query={query}
        isFiltered={isFiltered(filter)}
        onClear={() => setChosen(new Set())}
      />
      {runs.length === 0 ? (
        <NoRuns filter={filter} onAll={onAll} />
      ) : (
        <RunsTable runs={runs} chosen={chosen} onChoose={onChoose} cursor={cursor} isOld={isPlaceholderData} />
      )}
      {hasNextPage && (
        <More
          updatedAt={dataUpdatedAt}
          isBusy={isFetchingNextPage}
          waits={error !== null}
          onMore={() => void fetchNextPage()}
        />
      )}
    </>
  );
}

function NoRuns({ filter, onAll }: Omit<RunListProps, 'openedAt'>) {
  const { data: workflows } = useWorkflows();
  if (isFiltered(filter))
    return <Empty title="No run fits these filters">Clear a filter, or choose a longer time.</Empty>;
  if (workflows?.length === 0) {
    return (
      <Empty title="No workflow is deployed yet" command="npx baton init">
        Write a first one there, or <Link href="/new">here</Link>. Its runs appear on this page by themselves.
      </Empty>
    );
  }
  const command = `npx baton run ${workflows?.[0]?.id ?? 'NAME'} --watch`;
  if (filter.span !== 'all') {
    return (
      <Empty
        title={`No runs in the ${spanNames[filter.span].toLowerCase()}`}
        action={<Button onClick={onAll}>Show all time</Button>}
        command={command}
      >
        Or start one:
      </Empty>
    );
  }
  return (
    <Empty title="No runs yet" command={command}>
      Run a workflow. Runs that schedules, webhooks and MCP clients start appear here by themselves.
    </Empty>
  );
}

interface MoreProps {
  /** When the list was loaded or changed last, in epoch milliseconds. */
  readonly updatedAt: number;
  readonly isBusy: boolean;
  /** After a page that could not be loaded, the button asks for it, and nothing else does. */
  readonly waits: boolean;
  readonly onMore: () => void;
}

/** Loads the next page when the end of the list comes into view. */
function More({ updatedAt, isBusy, waits, onMore }: MoreProps) {
  const place = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  useEffect(() => {
    if (isBusy || waits) return undefined;
    // A new observer after each answer: it also reports an end of the list that stayed in view. `isBusy` alone does not
    // tell of an answer that came before React heard that it was asked for, nor the number of pages of a list that was
    // read anew in place of its next page.
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) more.current();
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, [isBusy, updatedAt, waits]);
  return (
    <div ref={place} className="row more">
      <Button look="quiet" isBusy={isBusy} onClick={onMore}>
        {isBusy ? 'Loading' : 'More'}
      </Button>
    </div>
  );
}

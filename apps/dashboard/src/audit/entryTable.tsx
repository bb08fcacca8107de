/** Changes to the installation: keys, deployments, secrets, log-ins. */
import { auditedActions } from '@baton/api/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CallerText } from '../parts/callerText.tsx';
import { prettyJson } from '../parts/json.ts';
import { NameText } from '../parts/nameText.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { type FilteredProps, AuditFilters, emptyHint, filtersIn } from './auditFilters.tsx';
import { namesOfEntries } from './knownNames.ts';

const labels = {
  action: 'Action',
  by: 'Who',
  target: 'What',
  from: 'From',
  to: 'To',
};

const noFilters = {};

const useEntries = (query: Readonly<Record<string, string>>) =>
  useInfiniteQuery({
    queryKey: ['audit', query],
    queryFn: ({ pageParam, signal }) =>
      client.audit.list({ ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

export function EntryTable(filters: FilteredProps) {
  const query = filtersIn(filters.search, labels);
  const { data, error, isPending, isPlaceholderData, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useEntries(query);
  const { data: newest } = useEntries(noFilters);
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  const known = { ...namesOfEntries(newest?.pages.flatMap((page) => page.data) ?? []), action: auditedActions };
  return (
    <div className="body flush" aria-busy={isPlaceholderData}>
      <AuditFilters labels={labels} known={known} {...filters} />
      <ProblemNote error={error} />
      {isPending && <Skeleton />}
      {data !== undefined && entries.length === 0 && <Empty title="No record fits these filters">{emptyHint}</Empty>}
      {entries.length > 0 && (
        <Table heads={['When', 'Action', 'What', 'Who', 'Detail']}>
          {entries.map(({ seq, at, by, action, target, detail }) => (
            <tr key={seq}>
              <td>
                <InstantText at={at} />
              </td>
              <td className="name break">
                <NameText name={action} />
              </td>
              <td className="break entry-target">
                <NameText name={target ?? ''} />
              </td>
              <td className="dim">
                <CallerText by={by} />
              </td>
              <td className="entry-detail">
                <details>
                  <summary>
                    <code>{JSON.stringify(detail)}</code>
                  </summary>
                  <pre className="code">{prettyJson(detail)}</pre>
                </details>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {hasNextPage && (
        <p className="row more">
          <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            More
          </Button>
        </p>
      )}
    </div>
  );
}

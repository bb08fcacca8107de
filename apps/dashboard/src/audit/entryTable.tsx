/** What was done to the installation: keys, deployments, secrets, log-ins. */
import { useInfiniteQuery } from '@tanstack/react-query';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CallerText } from '../parts/callerText.tsx';
import { NameText } from '../parts/nameText.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { TextFilter } from '../parts/textFilter.tsx';
import { InstantText } from '../parts/timeText.tsx';

interface EntryTableProps {
  readonly search: URLSearchParams;
  readonly onSet: (name: string, value: string) => void;
}

const names = ['action', 'by', 'target', 'from', 'to'] as const;

const labels: Readonly<Record<(typeof names)[number], string>> = {
  action: 'Action',
  by: 'Who',
  target: 'What',
  from: 'From (date)',
  to: 'To (date)',
};

export function EntryTable({ search, onSet }: EntryTableProps) {
  const query = Object.fromEntries(names.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])));
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', query],
    queryFn: ({ pageParam, signal }) =>
      client.audit.list({ ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="body flush">
      <div className="filters">
        {names.map((name) => (
          <TextFilter
            key={name}
            label={labels[name]}
            value={search.get(name) ?? ''}
            onSet={(value) => onSet(name, value)}
          />
        ))}
      </div>
      <ProblemNote error={error} />
      {isPending && <Skeleton />}
      {data !== undefined && entries.length === 0 && <Empty title="No record fits" />}
      {entries.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>When</th>
              <th>Action</th>
              <th>What</th>
              <th className="wide-only">Who</th>
              <th className="wide-only">Detail</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ seq, at, by, action, target, detail }) => (
              <tr key={seq}>
                <td>
                  <InstantText at={at} />
                </td>
                <td className="name break">
                  <NameText name={action} />
                </td>
                <td className="break">
                  <NameText name={target ?? ''} />
                </td>
                <td className="wide-only dim">
                  <CallerText by={by} />
                </td>
                <td className="wide-only cell-why">
                  <code className="cut why">{JSON.stringify(detail)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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

/** The list of MCP servers, with their state and last error. */
import type { Server, ServerStats } from '@baton/api/client';
import { countText } from '@baton/engine';
import { durationText } from '@baton/primitives';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import { useStatsOfServers } from '../api/figures.ts';
import { useServers } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { useSorted } from '../parts/sortedBy.ts';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { useRowKeys } from '../runs/useRowKeys.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { AddServerDialog } from './addServerDialog.tsx';
import { ServerState, stateIn } from './serverState.tsx';

export function ServersPage() {
  const { data, error, isPending } = useServers();
  const [, go] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const stats = useStatsOfServers((data ?? []).map(({ name }) => name));
  const { rows, ...sort } = useSorted(data ?? [], {
    Server: ({ name }) => name,
    Calls: ({ name }) => stats.get(name)?.calls,
    Errors: ({ name }) => stats.get(name)?.failed,
    p95: ({ name }) => stats.get(name)?.p95Ms,
  });
  const cursor = useRowKeys({
    count: rows.length,
    onOpen: (at) => rows[at] !== undefined && go(`/servers/${rows[at].name}`),
  });
  return (
    <>
      <PageHead
        title="Servers"
        actions={
          <Button icon={<Plus size={14} />} onClick={() => setAdding(true)}>
            Add a server
          </Button>
        }
      />
      <div className="body flush">
        {isPending && <Skeleton />}
        <ProblemNote error={error} />
        {data?.length === 0 && (
          <Empty title="No server is configured" command="npx baton add npm:PACKAGE">
            Servers come from <code>mcp.json</code>.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <Table
            heads={[
              'Server',
              'State',
              ['Calls', 'wide-only right'],
              ['Errors', 'wide-only right'],
              ['p95', 'wide-only right'],
              ['Transport', 'very-wide-only'],
              ['Revision', 'very-wide-only'],
              ['Last error', 'wide-only'],
            ]}
            sort={{ ...sort, columns: ['Server', 'Calls', 'Errors', 'p95'] }}
          >
            {rows.map((server, at) => (
              <ServerRow
                key={server.name}
                server={server}
                stats={stats.get(server.name)}
                isAtCursor={at === cursor}
                onOpen={() => go(`/servers/${server.name}`)}
              />
            ))}
          </Table>
        )}
      </div>
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function ServerRow({
  server: { name, type, state, protocolVersion, server, lastError, onDisk, drift, ownLogin },
  stats,
  isAtCursor,
  onOpen,
}: {
  readonly server: Server;
  readonly stats: ServerStats | undefined;
  readonly isAtCursor: boolean;
  readonly onOpen: () => void;
}) {
  return (
    <tr className={`click${isAtCursor ? ' cursor' : ''}`} onClick={onOpen}>
      <td>
        <Link href={`/servers/${name}`} className="plain name" onClick={(event) => event.stopPropagation()}>
          {name}
        </Link>{' '}
        {onDisk !== undefined && <span className="chip warn">{onDisk} on disk: restart Baton</span>}
        {ownLogin === 'absent' && <span className="chip warn">needs your log-in</span>}
        {drift !== undefined && <DriftChip drift={drift} />}
        {server?.name !== undefined && (
          <div className="small dim cut">
            {server.name} {server.version}
          </div>
        )}
      </td>
      <td>
        <ServerState state={stateIn(stats?.processes, state)} />
      </td>
      <td className="wide-only right num">{stats?.calls.toLocaleString('en')}</td>
      <td className="wide-only right num">{stats !== undefined && errorsText(stats)}</td>
      <td className="wide-only right num">{stats?.p95Ms !== undefined && durationText(stats.p95Ms)}</td>
      <td className="very-wide-only dim">{type}</td>
      <td className="very-wide-only dim num">{protocolVersion}</td>
      <td className="wide-only cell-why">
        {lastError !== undefined && (
          <span className="cut why" title={lastError.message}>
            <span className="red">{lastError.code}</span> <span className="dim">{lastError.message}</span>{' '}
            <TimeText at={lastError.at} />
          </span>
        )}
      </td>
    </tr>
  );
}

const errorsText = ({ calls, failed = 0 }: ServerStats): string =>
  failed === 0 ? '0' : `${failed.toLocaleString('en')} (${Math.max(1, Math.round((failed / calls) * 100))} %)`;

/** The changes are on the server's page. */
function DriftChip({ drift }: { readonly drift: NonNullable<Server['drift']> }) {
  const blocked = drift.filter((one) => one.blocked === true);
  const names = (some: typeof drift): string => some.map(({ workflow }) => workflow).join(', ');
  const since = `Since ${names(drift)} ${drift.length === 1 ? 'was' : 'were'} checked.`;
  return blocked.length === 0 ? (
    <span className="chip warn" title={since}>
      tools changed
    </span>
  ) : (
    <span className="chip bad" title={`${since} New runs of ${names(blocked)} are refused.`}>
      tools changed: {countText(blocked.length, 'workflow')} blocked
    </span>
  );
}

/** The list of MCP servers, with their state and last error. */
import type { Server } from '@baton/api/client';
import { countText } from '@baton/engine';
import { Link, useLocation } from 'wouter';

import { useServers } from '../api/queries.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { useRowKeys } from '../runs/useRowKeys.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { ServerState } from './serverState.tsx';

export function ServersPage() {
  const { data, error, isPending } = useServers();
  const [, go] = useLocation();
  const cursor = useRowKeys({
    count: data?.length ?? 0,
    onOpen: (at) => data?.[at] !== undefined && go(`/servers/${data[at].name}`),
  });
  return (
    <>
      <PageHead title="Servers" />
      <div className="body flush">
        {isPending && <Skeleton />}
        <ProblemNote error={error} />
        {data?.length === 0 && (
          <Empty title="No server is configured" command="npx baton init">
            Name MCP servers in <code>mcp.json</code>, and start Baton again.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <Table
            heads={[
              'Server',
              'State',
              ['Transport', 'wide-only'],
              ['Revision', 'wide-only'],
              ['Last error', 'wide-only'],
            ]}
          >
            {data.map((server, at) => (
              <ServerRow
                key={server.name}
                server={server}
                isAtCursor={at === cursor}
                onOpen={() => go(`/servers/${server.name}`)}
              />
            ))}
          </Table>
        )}
      </div>
    </>
  );
}

function ServerRow({
  server: { name, type, state, protocolVersion, server, lastError, onDisk, drift },
  isAtCursor,
  onOpen,
}: {
  readonly server: Server;
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
        {drift !== undefined && <DriftChip drift={drift} />}
        {server?.name !== undefined && (
          <div className="small dim cut">
            {server.name} {server.version}
          </div>
        )}
      </td>
      <td>
        <ServerState state={state} />
      </td>
      <td className="wide-only dim">{type}</td>
      <td className="wide-only dim num">{protocolVersion}</td>
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

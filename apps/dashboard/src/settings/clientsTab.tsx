/** Clients that were connected with OAuth. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { apiAddress, client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toastError } from '../parts/toast.tsx';

const choiceNames = { read: 'read', run: 'run', 'run-approved': 'run, each write approved', build: 'build' } as const;

export function ClientsTab() {
  const cache = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['clients'],
    queryFn: ({ signal }) => Array.fromAsync(client.clients.all({ signal, limit: 500 })),
  });
  const disconnect = useMutation({
    mutationFn: (id: string) => client.clients.disconnect(id),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['clients'] }),
    onError: toastError,
  });
  if (data === undefined) return error === null ? <Skeleton rows={3} /> : <ProblemNote error={error} />;
  if (data.length === 0) {
    return (
      <Empty title="No client is connected">
        Add {apiAddress()}/mcp as a connector there: the client then asks here what it may do.
      </Empty>
    );
  }
  return (
    <section className="section">
      <Table
        heads={[
          'Client',
          'May',
          ['Address', 'wide-only'],
          ['Key', 'wide-only'],
          ['Connected', 'wide-only'],
          ['Last token', 'wide-only'],
        ]}
        hasActions
      >
        {data.map(({ id, name, client: clientId, choice, resource, key, createdAt, lastUsedAt }) => (
          <tr key={id}>
            <td className="break" title={clientId}>
              {name}
              <div className="narrow-only small dim">
                at {new URL(resource).pathname}, key {key.name}, connected <TimeText at={createdAt} />, last token:{' '}
                {lastUsedAt === undefined ? 'none yet' : <TimeText at={lastUsedAt} />}
              </div>
            </td>
            <td>{choiceNames[choice]}</td>
            <td className="wide-only mono small">{new URL(resource).pathname}</td>
            <td className="wide-only">{key.name}</td>
            <td className="wide-only dim">
              <TimeText at={createdAt} />
            </td>
            <td className="wide-only dim">{lastUsedAt === undefined ? 'none yet' : <TimeText at={lastUsedAt} />}</td>
            <td className="right">
              <Button isTiny look="danger" isBusy={disconnect.isPending} onClick={() => disconnect.mutate(id)}>
                Disconnect
              </Button>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** Browsers that are logged in. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { client } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toastError } from '../parts/toast.tsx';

export function SessionsTab() {
  const cache = useQueryClient();
  const { data: own } = useSession();
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => Array.fromAsync(client.sessions.all({ signal, limit: 500 })),
  });
  const end = useMutation({
    mutationFn: (id: string) => client.sessions.end(id),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['sessions'] }),
    onError: toastError,
  });
  if (data === undefined) return error === null ? <Skeleton rows={3} /> : <ProblemNote error={error} />;
  return (
    <section className="section">
      <header>
        <span className="dim">A session that ends ends the sessions that began with its codes.</span>
      </header>
      <Table heads={['Who', 'Logged in', 'Ends']} hasActions>
        {data.map(({ id, key, person, createdAt, expiresAt }) => (
          <tr key={id}>
            <td>
              {(person ?? key)?.name} {id === own?.id && <span className="chip">this browser</span>}
            </td>
            <td className="dim">
              <TimeText at={createdAt} />
            </td>
            <td className="dim">
              <TimeText at={expiresAt} />
            </td>
            <td className="right">
              <Button isTiny look="danger" isBusy={end.isPending} onClick={() => end.mutate(id)}>
                End
              </Button>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

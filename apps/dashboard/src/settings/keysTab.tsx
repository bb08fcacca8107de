/** API keys: scopes, limits and last use. The text of a key is shown once. */
import { type Key, keyLimitsText } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { NewKeyDialog } from './newKeyDialog.tsx';

export function KeysTab() {
  const cache = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  const { data: session } = useSession();
  const { data, error } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => Array.fromAsync(client.keys.all({ signal, limit: 500 })),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.keys.revoke(id),
    onSuccess: () => {
      setRevoking(undefined);
      void cache.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const own = session?.key?.id;
  return (
    <section className="section">
      <header>
        <span className="dim">A key may do what its scopes say; admin may do everything.</span>
        <span className="end">
          <Button look="main" icon={<Plus size={14} />} onClick={() => setMaking(true)}>
            New key
          </Button>
        </span>
      </header>
      <ProblemNote error={error} />
      {data === undefined && error === null && <Skeleton rows={4} />}
      {data !== undefined && <KeyTable keys={data} own={own} onRevoke={setRevoking} />}
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
      {revoking !== undefined && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          action={`Revoke ${revoking.name}`}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => {
            setRevoking(undefined);
            revoke.reset();
          }}
        >
          <p>
            What uses it is refused from now on, its streams and sessions end, and it cannot be given back.
            {revoking.id === own && <b> You are logged in with it.</b>}
          </p>
          <ProblemNote error={revoke.error} />
        </ConfirmDialog>
      )}
    </section>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly own: string | undefined;
  readonly onRevoke: (key: Key) => void;
}

function KeyTable({ keys, own, onRevoke }: KeyTableProps) {
  return (
    <Table
      heads={['Name', 'Scopes', ['Limited to', 'wide-only'], ['Last used', 'wide-only'], ['Expires', 'wide-only']]}
      hasActions
    >
      {keys.map((key) => (
        <KeyRow key={key.id} value={key} isOwn={key.id === own} onRevoke={() => onRevoke(key)} />
      ))}
    </Table>
  );
}

function KeyRow({
  value,
  isOwn,
  onRevoke,
}: {
  readonly value: Key;
  readonly isOwn: boolean;
  readonly onRevoke: () => void;
}) {
  const { id, name, scopes, lastUsedAt, expiresAt, revokedAt } = value;
  const limited = keyLimitsText(value);
  const used = lastUsedAt === undefined ? 'never' : <TimeText at={lastUsedAt} />;
  const expires = expiresAt === undefined ? 'never' : <TimeText at={expiresAt} />;
  return (
    <tr>
      <td className="break">
        <span className="name">{name}</span> {isOwn && <span className="chip">yours</span>}
        <div className="small faint">
          <code>{id}</code>
        </div>
        <div className="narrow-only small dim">
          {limited !== '' && <div>{limited}</div>}
          used: {used}, expires: {expires}
        </div>
      </td>
      <td>
        <span className="row wrap scopes">
          {scopes.map((scope) => (
            <span key={scope} className="chip">
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td className="wide-only dim">{limited}</td>
      <td className="wide-only dim">{used}</td>
      <td className="wide-only dim">{expires}</td>
      <td className="right">
        {revokedAt === undefined ? (
          <Button isTiny look="danger" onClick={onRevoke}>
            Revoke…
          </Button>
        ) : (
          <span className="chip bad">revoked</span>
        )}
      </td>
    </tr>
  );
}

/** Secrets: their names and who may use them. Their values are never shown. */
import type { Secret } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast } from '../parts/toast.tsx';

export function SecretsTab() {
  const cache = useQueryClient();
  const [setting, setSetting] = useState<string>();
  const [deleting, setDeleting] = useState<string>();
  const { data, error } = useQuery({
    queryKey: ['secrets'],
    queryFn: ({ signal }) => Array.fromAsync(client.secrets.all({ signal })),
  });
  const remove = useMutation({
    mutationFn: (name: string) => client.secrets.delete(name),
    onSuccess: () => {
      setDeleting(undefined);
      void cache.invalidateQueries({ queryKey: ['secrets'] });
    },
  });
  return (
    <section className="section">
      <header>
        <span className="dim">Values are encrypted, and never shown.</span>
        <span className="end">
          <Button look="main" icon={<Plus size={14} />} onClick={() => setSetting('')}>
            Set a secret
          </Button>
        </span>
      </header>
      <ProblemNote error={error} />
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data?.length === 0 && <Empty title="No secret is stored" command="npx baton secrets set NAME" />}
      {data !== undefined && data.length > 0 && (
        <SecretTable secrets={data} onSet={setSetting} onDelete={setDeleting} />
      )}
      {setting !== undefined && <SecretDialog given={setting} onClose={() => setSetting(undefined)} />}
      {deleting !== undefined && (
        <ConfirmDialog
          title={`Delete ${deleting}?`}
          action={`Delete ${deleting}`}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(deleting)}
          onClose={() => {
            setDeleting(undefined);
            remove.reset();
          }}
        >
          <p>Workflows and servers that refer to it fail at their next use.</p>
          <ProblemNote error={remove.error} />
        </ConfirmDialog>
      )}
    </section>
  );
}

interface SecretTableProps {
  readonly secrets: readonly Secret[];
  readonly onSet: (name: string) => void;
  readonly onDelete: (name: string) => void;
}

function SecretTable({ secrets, onSet, onDelete }: SecretTableProps) {
  return (
    <Table heads={['Name', 'May be used by', ['Set', 'wide-only']]} hasActions>
      {secrets.map(({ name, version, workflows, servers, setAt, setBy }) => (
        <tr key={name}>
          <td className="break">
            <code>{name}</code> <span className="faint small">version {version}</span>
            <div className="narrow-only small dim">
              set <TimeText at={setAt} /> by {setBy}
            </div>
          </td>
          <td className="dim">
            {workflows === undefined ? 'all workflows' : workflows.join(', ')}
            {servers !== undefined && `; sent to ${servers.join(', ')}`}
          </td>
          <td className="wide-only dim">
            <TimeText at={setAt} /> by {setBy}
          </td>
          <td>
            <span className="row wrap end">
              <Button isTiny onClick={() => onSet(name)}>
                Replace…
              </Button>
              <Button isTiny look="danger" onClick={() => onDelete(name)}>
                Delete…
              </Button>
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function SecretDialog({ given, onClose }: { readonly given: string; readonly onClose: () => void }) {
  const cache = useQueryClient();
  const [name, setName] = useState(given);
  const [value, setValue] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.secrets.set(name.trim(), value),
    onSuccess: ({ version }) => {
      toast(`${name} is set, version ${version}.`);
      void cache.invalidateQueries({ queryKey: ['secrets'] });
      onClose();
    },
  });
  return (
    <Dialog
      title={given === '' ? 'Set a secret' : `Replace ${given}`}
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} disabled={name.trim() === '' || value === ''} onClick={() => mutate()}>
          Set
        </Button>
      }
    >
      {given === '' && (
        <label className="field">
          <span className="label">Name</span>
          <input className="input mono" autoFocus value={name} onChange={(event) => setName(event.target.value)} />
          <span className="hint">
            Workflows read it as <code>secrets.NAME</code>.
          </span>
        </label>
      )}
      <label className="field">
        <span className="label">Value</span>
        <input
          className="input mono"
          type="password"
          autoComplete="off"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <ProblemNote error={error} />
    </Dialog>
  );
}

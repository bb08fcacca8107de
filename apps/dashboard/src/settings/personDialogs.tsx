/** Dialogs of people: add one, grant a role, make a link. */
import type { BodyOf, Person } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { apiAddress, client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

const effects = {
  '': 'any effect',
  read: 'what reads',
  idempotent: 'what can be repeated',
  write: 'what writes',
} as const;

interface WrittenGrant {
  readonly role: string;
  /** Patterns, with blanks or commas between; empty: all workflows. */
  readonly on: string;
  readonly effects: keyof typeof effects;
}

const viewer: WrittenGrant = { role: 'viewer', on: '', effects: '' };

function grantOf({ role, on, effects: strongest }: WrittenGrant): BodyOf<'grantRole'> {
  const patterns = on.split(/[\s,]+/).filter((one) => one !== '');
  return {
    role,
    ...(patterns.length > 0 && { on: patterns }),
    ...(strongest !== '' && { effects: strongest }),
  };
}

interface DialogProps {
  readonly onClose: () => void;
}

export function AddPersonDialog({ onClose }: DialogProps) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [grant, setGrant] = useState(viewer);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => client.people.add({ name: name.trim(), grants: [grantOf(grant)] }),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['people'] }),
  });
  if (data !== undefined) return <LinkDialog person={data} onClose={onClose} />;
  return (
    <Dialog
      title="Add a person"
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} disabled={name.trim() === ''} onClick={() => mutate()}>
          Add
        </Button>
      }
    >
      <label className="field">
        <span className="label">Name</span>
        <input
          className="input"
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <GrantFields value={grant} onChange={setGrant} />
      <ProblemNote error={error} />
    </Dialog>
  );
}

interface PersonDialogProps extends DialogProps {
  readonly person: Person;
}

export function GrantDialog({ person, onClose }: PersonDialogProps) {
  const cache = useQueryClient();
  const [grant, setGrant] = useState(viewer);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.people.grant(person.id, grantOf(grant)),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['people'] });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Grant ${person.name} a role`}
      onClose={onClose}
      footer={
        <Button look="main" isBusy={isPending} onClick={() => mutate()}>
          Grant
        </Button>
      }
    >
      <GrantFields value={grant} onChange={setGrant} />
      <ProblemNote error={error} />
    </Dialog>
  );
}

/** A link is made when the dialog opens, and shown once. */
export function LinkDialog({ person, onClose }: PersonDialogProps) {
  const { mutate, data, error } = useMutation({ mutationFn: () => client.people.link(person.id) });
  useEffect(() => mutate(), [mutate]);
  const link = data === undefined ? '' : `${apiAddress()}/#code=${data.code}`;
  return (
    <Dialog
      title={`A link for ${person.name}`}
      onClose={onClose}
      footer={<Button onClick={onClose}>I have it</Button>}
      isKept
    >
      <Warning>It logs in as {person.name}, once, within 15 minutes. Send it to them alone.</Warning>
      {link !== '' && (
        <div className="code row">
          <code className="grow pre">{link}</code>
          <CopyButton text={link} label="Copy the link" />
        </div>
      )}
      <ProblemNote error={error} />
    </Dialog>
  );
}

interface GrantFieldsProps {
  readonly value: WrittenGrant;
  readonly onChange: (grant: WrittenGrant) => void;
}

function GrantFields({ value, onChange }: GrantFieldsProps) {
  const { data } = useQuery({ queryKey: ['roles'], queryFn: ({ signal }) => client.people.roles({ signal }) });
  const roles = data?.data ?? [];
  const scopes = roles.find(({ id }) => id === value.role)?.scopes ?? [];
  return (
    <>
      <label className="field">
        <span className="label">Role</span>
        <select
          className="input"
          value={value.role}
          onChange={(event) => onChange({ ...value, role: event.target.value })}
        >
          {roles.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <p className="dim small">{scopes.join(' · ')}</p>
      <label className="field">
        <span className="label">Workflows</span>
        <input
          className="input mono"
          placeholder="all"
          value={value.on}
          onChange={(event) => onChange({ ...value, on: event.target.value })}
        />
      </label>
      <p className="dim small">Names or patterns such as payments/*, with blanks between.</p>
      <label className="field">
        <span className="label">May start</span>
        <select
          className="input"
          value={value.effects}
          onChange={(event) => onChange({ ...value, effects: event.target.value as WrittenGrant['effects'] })}
        >
          {Object.entries(effects).map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

import type { Scope } from '@baton/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

const scopes = {
  'runs:read': 'see runs',
  'runs:write': 'start, cancel and retry runs',
  'questions:answer': 'answer questions',
  'workflows:write': 'check and deploy workflows',
  'servers:read': 'see servers and their tools',
  'servers:approve': 'test servers, accept changed tools',
  'secrets:write': 'set and delete secrets',
  'secrets:use': 'use secrets in workflows sent with a request',
  metrics: 'read metrics, and nothing else: for a scraper',
  'audit:read': 'read the audit trail',
  admin: 'everything',
} as const satisfies Partial<Record<Scope, string>>;

const lives = { '24h': 'for a day', '7d': 'for a week', '90d': 'for 90 days', '': 'until it is revoked' } as const;

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['runs:read']);
  const [life, setLife] = useState('90d');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client.keys.create({ name: name.trim(), scopes: [...chosen], ...(life === '' ? {} : { expiresIn: life }) }),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (data !== undefined) {
    return (
      <Dialog
        title={`The key ${data.name}`}
        onClose={onClose}
        footer={<Button onClick={onClose}>I have it</Button>}
        isKept
      >
        <Warning>This is the only time that it is shown.</Warning>
        <div className="code row">
          <code className="grow pre">{data.key}</code>
          <CopyButton text={data.key} label="Copy the key" />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      footer={
        <Button
          look="main"
          isBusy={isPending}
          disabled={name.trim() === '' || chosen.length === 0}
          onClick={() => mutate()}
        >
          Create
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
      <ScopeList chosen={chosen} onChange={setChosen} />
      <label className="field">
        <span className="label">Valid</span>
        <select className="input" value={life} onChange={(event) => setLife(event.target.value)}>
          {Object.entries(lives).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <ProblemNote error={error} />
    </Dialog>
  );
}

interface ScopeListProps {
  readonly chosen: readonly Scope[];
  readonly onChange: (chosen: readonly Scope[]) => void;
}

function ScopeList({ chosen, onChange }: ScopeListProps) {
  return (
    <fieldset className="scope-list">
      <legend className="label">It may</legend>
      {(Object.entries(scopes) as [keyof typeof scopes, string][]).map(([scope, means]) => (
        <label key={scope} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={() =>
              onChange(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
            }
          />
          {means} <code className="faint small">{scope}</code>
        </label>
      ))}
    </fieldset>
  );
}

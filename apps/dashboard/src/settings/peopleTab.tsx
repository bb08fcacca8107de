/** People: what each may do, and when they were last here. */
import type { Grant, Person } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Plus, X } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { grantText } from './grantText.ts';
import { AddPersonDialog, GrantDialog, LinkDialog } from './personDialogs.tsx';

/** What is asked for: a dialog about a person, or about one of their grants. */
type Asked =
  | { readonly what: 'add' }
  | { readonly what: 'grant'; readonly person: Person }
  | { readonly what: 'link'; readonly person: Person }
  | { readonly what: 'remove'; readonly person: Person }
  | { readonly what: 'revoke'; readonly person: Person; readonly grant: Grant };

export function PeopleTab() {
  const [asked, setAsked] = useState<Asked>();
  const { data, error } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => Array.fromAsync(client.people.all({ signal, limit: 500 })),
  });
  return (
    <section className="section">
      <header>
        <span className="dim">A person may do what one of their grants allows; two never add up.</span>
        <span className="end">
          <Button look="main" icon={<Plus size={14} />} onClick={() => setAsked({ what: 'add' })}>
            Add a person
          </Button>
        </span>
      </header>
      <ProblemNote error={error} />
      {data === undefined && error === null && <Skeleton rows={4} />}
      {data?.length === 0 && (
        <Empty title="There are no people yet">Everyone here uses a key. Add a person, and send them a link.</Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table heads={['Name', 'Grants', ['Last seen', 'wide-only']]} hasActions>
          {data.map((person) => (
            <PersonRow key={person.id} person={person} onAsk={setAsked} />
          ))}
        </Table>
      )}
      {asked !== undefined && <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

function PersonRow({ person, onAsk }: { readonly person: Person; readonly onAsk: (asked: Asked) => void }) {
  const { id, name, account, grants, seenAt } = person;
  const { data: session } = useSession();
  const seen = seenAt === undefined ? 'never' : <TimeText at={seenAt} />;
  return (
    <tr>
      <td className="break">
        <span className="name">{name}</span> {session?.person?.id === id && <span className="chip">you</span>}
        <div className="small faint">
          <code>{account === undefined ? id : `${account.subject} at ${URL.parse(account.issuer)?.host ?? ''}`}</code>
        </div>
        <div className="narrow-only small dim">last seen: {seen}</div>
      </td>
      <td>
        <span className="row wrap">
          {grants.length === 0 && <span className="dim">nothing</span>}
          {grants.map((grant) => (
            <span key={`${grant.from} ${grant.id}`} className="chip">
              {grantText(grant)}
              {grant.from === 'here' && (
                <Button
                  look="quiet"
                  isTiny
                  label={`Take ${grantText(grant)} from ${name}`}
                  icon={<X size={12} />}
                  onClick={() => onAsk({ what: 'revoke', person, grant })}
                />
              )}
            </span>
          ))}
        </span>
      </td>
      <td className="wide-only dim">{seen}</td>
      <td className="right">
        <Menu
          label={`What to do with ${name}`}
          icon={<Ellipsis size={16} />}
          look="quiet"
          items={[
            { label: 'Grant a role…', onChoose: () => onAsk({ what: 'grant', person }) },
            // Others log in at their provider.
            ...(account === undefined
              ? [{ label: 'Make a link…', onChoose: () => onAsk({ what: 'link', person }) }]
              : []),
            { label: 'Remove…', onChoose: () => onAsk({ what: 'remove', person }), isDanger: true },
          ]}
        />
      </td>
    </tr>
  );
}

interface AskedDialogProps {
  readonly asked: Asked;
  readonly onClose: () => void;
}

function AskedDialog({ asked, onClose }: AskedDialogProps) {
  if (asked.what === 'add') return <AddPersonDialog onClose={onClose} />;
  if (asked.what === 'grant') return <GrantDialog person={asked.person} onClose={onClose} />;
  if (asked.what === 'link') return <LinkDialog person={asked.person} onClose={onClose} />;
  return <EndDialog asked={asked} onClose={onClose} />;
}

interface EndDialogProps {
  readonly asked: Extract<Asked, { readonly what: 'remove' | 'revoke' }>;
  readonly onClose: () => void;
}

/** Takes a grant away, or removes a person. */
function EndDialog({ asked, onClose }: EndDialogProps) {
  const cache = useQueryClient();
  const { person } = asked;
  const grant = asked.what === 'revoke' ? asked.grant : undefined;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      grant === undefined ? client.people.remove(person.id) : client.people.revoke(person.id, grant.id),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['people'] });
      onClose();
    },
  });
  const title = grant === undefined ? `Remove ${person.name}?` : `Take ${grantText(grant)} from ${person.name}?`;
  return (
    <ConfirmDialog
      title={title}
      action={grant === undefined ? `Remove ${person.name}` : 'Take it away'}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>
        {grant === undefined
          ? `Their sessions and clients end, and their keys are revoked. npx baton people restore ${person.id} lets them in again.`
          : 'It takes effect within seconds everywhere. Links of theirs that are still open are void.'}
      </p>
      <ProblemNote error={error} />
    </ConfirmDialog>
  );
}

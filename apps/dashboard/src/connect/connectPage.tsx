/** A client asks to be connected, and a person decides. The authorization server sent the browser here. */
import type { Consent } from '@baton/api/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

import { client } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

import './connect.css';
import { choiceWords } from './choices.ts';
import { Frame } from './frame.tsx';

type Choice = Consent['preset'];

export function ConnectPage({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['consent', id],
    queryFn: ({ signal }) => client.clients.consent(id, { signal }),
    retry: false,
    refetchOnWindowFocus: false,
  });
  const decide = useMutation({
    mutationFn: (choice: Choice | null) => client.clients.decide(id, { choice }),
    onSuccess: ({ goOn }) => location.assign(goOn),
  });
  const { mutate } = decide;
  const isRemembered = data?.isRemembered === true;
  const remembered = isRemembered ? data.preset : undefined;
  useEffect(() => {
    if (remembered !== undefined) mutate(remembered);
  }, [remembered, mutate]);
  if (error !== null) {
    return (
      <Frame title="Nothing to decide">
        <ProblemNote error={error} />
      </Frame>
    );
  }
  if (data === undefined || (isRemembered && decide.error === null)) return null;
  const isBusy = decide.isPending || decide.isSuccess;
  return <Decision consent={data} isBusy={isBusy} error={decide.error} onDecide={mutate} />;
}

interface DecisionProps {
  readonly consent: Consent;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onDecide: (choice: Choice | null) => void;
}

function Decision({ consent, isBusy, error, onDecide }: DecisionProps) {
  const { client: asking, resource, offered, preset } = consent;
  const [choice, setChoice] = useState(preset);
  const isGateway = resource.endsWith('/mcp/gateway');
  return (
    <Frame title={`Connect ${asking.name}?`}>
      <Asking consent={consent} />
      {offered.length === 0 ? (
        <p>
          You may allow nothing of what the client asks for.
          {isGateway &&
            ' The gateway takes the right to start runs of all workflows. If yours is limited to some, connect the client at /mcp.'}
        </p>
      ) : (
        <fieldset className="choices">
          <legend className="label">It may</legend>
          {choiceWords(isGateway).map(({ choice: one, title, means }) => (
            <label key={one} className="choice">
              <input
                type="radio"
                name="choice"
                aria-label={title}
                checked={choice === one}
                disabled={!offered.includes(one)}
                onChange={() => setChoice(one)}
              />
              <span>
                <b>{title}</b>
                <span className="dim small">{means}</span>
              </span>
            </label>
          ))}
          {offered.length < choiceWords(isGateway).length && (
            <p className="dim small">The client does not ask for what is grey, or you may not give it.</p>
          )}
        </fieldset>
      )}
      {offered.length > 0 && <Reach consent={consent} isGateway={isGateway} />}
      {error !== null && <ProblemNote error={error} />}
      <div className="decide">
        {offered.length > 0 && (
          <Button look="main" isBusy={isBusy} onClick={() => onDecide(choice)}>
            Connect
          </Button>
        )}
        <Button isBusy={isBusy} onClick={() => onDecide(null)}>
          Refuse
        </Button>
      </div>
      <p className="faint small">You end it under Settings, Connected clients, or with npx baton tokens revoke.</p>
    </Frame>
  );
}

/** Who asks, and what speaks against it. */
function Asking({ consent: { client: asking, resource, device } }: { readonly consent: Consent }) {
  const { data: session } = useSession();
  return (
    <>
      <dl className="facts">
        <Fact name="Client">
          <b>{asking.name}</b>{' '}
          <span className="dim">{device === undefined ? 'says it is from' : 'on a device at the address'}</span>{' '}
          <code className="chip">{asking.host}</code>
        </Fact>
        {device === undefined ? (
          <Fact name="Goes back to">
            <code className="chip">{asking.redirect}</code>
          </Fact>
        ) : (
          <Fact name="Code on the device">
            <b>{device.code}</b>
          </Fact>
        )}
        <Fact name="Address">
          <code className="chip">{resource}</code>
        </Fact>
        {session?.person === undefined ? (
          <Fact name="With your key">{session?.key?.name}</Fact>
        ) : (
          <Fact name="With the rights of">{session.person.name}</Fact>
        )}
      </dl>
      {device !== undefined && (
        <Warning>
          The device will act as you. Go on only if this code is in your own terminal now, and never with a code or a
          link that was sent to you.
        </Warning>
      )}
      {device === undefined && !asking.isKnown && (
        <Warning>You have not connected this client before. Go on only if you have just begun this there.</Warning>
      )}
    </>
  );
}

/** What the client reaches: at the gateway the servers themselves. */
function Reach({
  consent: { workflows, servers },
  isGateway,
}: {
  readonly consent: Consent;
  readonly isGateway: boolean;
}) {
  const names = isGateway ? servers : workflows.names;
  const what = isGateway ? 'servers' : 'workflows';
  return (
    <details className="reach">
      <summary>
        {names.length === 0 ? `It will reach no ${what} yet` : `Which ${what} it will reach`}
        {names.length > 0 && (
          <span className="dim">
            {' '}
            · {names.length}
            {workflows.hasMore && !isGateway ? ' and more' : ''}
          </span>
        )}
      </summary>
      <p className="names">
        {names.map((name) => (
          <code key={name} className="chip">
            {name}
          </code>
        ))}
      </p>
      <p className="dim small">
        {isGateway
          ? 'Also servers that are configured later.'
          : 'Also workflows that are deployed later, with the servers that they name.'}
      </p>
    </details>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="dim">{name}</dt>
    <dd>{children}</dd>
  </>
);

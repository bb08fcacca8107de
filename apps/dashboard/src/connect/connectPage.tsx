/** A client asks to be connected, and a person decides. The authorization server sent the browser here. */
import type { Consent } from '@baton/api/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

import { client, rootPath } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

import './connect.css';
import { choiceWords } from './choices.ts';

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
  const { data: session } = useSession();
  const isGateway = resource.endsWith('/mcp/gateway');
  return (
    <Frame title={`Connect ${asking.name}?`}>
      <dl className="facts">
        <Fact name="Client">
          <b>{asking.name}</b> <span className="dim">says it is from</span> <code className="chip">{asking.host}</code>
        </Fact>
        <Fact name="Goes back to">
          <code className="chip">{asking.redirect}</code>
        </Fact>
        <Fact name="Address">
          <code className="chip">{resource}</code>
        </Fact>
        {session?.person === undefined ? (
          <Fact name="With your key">{session?.key?.name}</Fact>
        ) : (
          <Fact name="With the rights of">{session.person.name}</Fact>
        )}
      </dl>
      {!asking.isKnown && (
        <Warning>You have not connected this client before. Go on only if you have just begun this there.</Warning>
      )}
      {offered.length === 0 ? (
        <p>You may allow nothing of what the client asks for.</p>
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
        </fieldset>
      )}
      <Reach consent={consent} isGateway={isGateway} />
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

const Frame = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <main className="login connect">
    <div>
      <img src={`${rootPath}baton.svg`} alt="" />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

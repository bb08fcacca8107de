/** A login at a server, for which runs of the person wait. It is no question: one login lets all of them go on. */
import type { AwaitedLogin } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useQueryClient } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';

import { loginsKey, useAwaitedLogins } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { useLogIn } from '../parts/useLogIn.ts';

import './questions.css';

function LoginCard({ login: { server, runs, since } }: { readonly login: AwaitedLogin }) {
  const cache = useQueryClient();
  const logIn = useLogIn(server, () => void cache.invalidateQueries({ queryKey: loginsKey }));
  return (
    <article className="question" aria-label={`Log-in at ${server}`}>
      <p className="message">
        {countText(runs, 'run')} of yours {runs === 1 ? 'waits' : 'wait'} until you log in to {server}
      </p>
      <p className="small dim">
        Since <TimeText at={since} />. {runs === 1 ? 'It goes' : 'They go'} on within ten minutes of your login.
      </p>
      <div className="row">
        <Button look="main" icon={<LogIn size={14} />} isBusy={logIn.isPending} onClick={() => logIn.mutate()}>
          Log in
        </Button>
      </div>
    </article>
  );
}

interface AwaitedLoginsProps {
  /** Of a run: its person, and the servers at which it waits for a login. Absent: all. */
  readonly of?: { readonly person: string; readonly servers: readonly string[] };
}

export function AwaitedLogins({ of }: AwaitedLoginsProps) {
  const { data } = useAwaitedLogins();
  const logins = (data ?? []).filter(
    ({ server, person }) => of === undefined || (of.person === person && of.servers.includes(server)),
  );
  if (logins.length === 0) return null;
  return (
    <section className="question-group" aria-label="Log-ins that runs wait for">
      <div className="question-grid">
        {logins.map((login) => (
          <LoginCard key={login.server} login={login} />
        ))}
      </div>
    </section>
  );
}

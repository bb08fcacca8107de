/** Shows the page if there is a session, and the log-in otherwise. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { rootPath, routerBase } from '../api/client.ts';
import { changeSession, isCodeRefused, logIn, logInProvider, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote, Warning } from '../parts/notes.tsx';

export function LogInGate({ children }: { readonly children: ReactNode }) {
  const { data, error, isPending, refetch } = useSession();
  if (data !== null && data !== undefined) return children;
  if (isPending) return null;
  if (error !== null) return <Unreachable error={error} onRetry={() => void refetch()} />;
  return <LogIn />;
}

function Unreachable({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <main className="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onRetry();
        }}
      >
        <img src={`${rootPath}baton.svg`} alt="" />
        <h1>Baton cannot be reached</h1>
        <ProblemNote error={error} />
        <Button type="submit" look="main">
          Try again
        </Button>
      </form>
    </main>
  );
}

function LogIn() {
  const [key, setKey] = useState('');
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => logIn({ key: key.trim() }),
    onSuccess: (session) => changeSession(cache, session),
  });
  return (
    <main className="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '') mutate();
        }}
      >
        <img src={`${rootPath}baton.svg`} alt="" />
        <h1>Log in to Baton</h1>
        {isCodeRefused() && (
          <Warning>This link was used before, or is too old. npx baton open makes a new one.</Warning>
        )}
        {logInProvider !== undefined && (
          <>
            <a className="btn main-btn" href={providerAddress()}>
              Log in with {logInProvider}
            </a>
            <p className="dim">Or with a link that someone sent you, or a key:</p>
          </>
        )}
        <p className="dim">
          On the machine where Baton runs, <code className="chip">npx baton open</code> opens this page logged in. From
          elsewhere, paste an API key.
        </p>
        <label className="field">
          <span className="label">API key</span>
          <input
            className="input mono"
            type="password"
            autoComplete="current-password"
            autoFocus={logInProvider === undefined}
            value={key}
            aria-invalid={error !== null}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        {error !== null && <ProblemNote error={error} />}
        <Button
          type="submit"
          look={logInProvider === undefined ? 'main' : 'usual'}
          isBusy={isPending}
          disabled={key.trim() === ''}
        >
          Log in
        </Button>
        <p className="faint small">
          The key is exchanged for a cookie that ends twelve hours after its last use. The browser does not keep the
          key.
        </p>
      </form>
    </main>
  );
}

/** The browser comes back to the page that is open, as after a log-in with a key. */
const providerAddress = (): string =>
  `${rootPath}oidc/login?to=${encodeURIComponent(location.pathname.slice(routerBase.length))}`;

/** A person types the code that a device shows (RFC 8628). The address has none: the sender of a link would have chosen it. */
import { useState } from 'react';

import { Button } from '../parts/button.tsx';

import './connect.css';
import { ConnectPage } from './connectPage.tsx';
import { Frame } from './frame.tsx';

const letters = 8;

export function DevicePage() {
  const [text, setText] = useState('');
  const [code, setCode] = useState<string>();
  const plain = text.toUpperCase().replaceAll(/[^A-Z]/g, '');
  if (code !== undefined) return <ConnectPage id={code} />;
  return (
    <Frame title="Log a device in">
      <p>Type the code that baton login shows in your own terminal. Never type a code that was sent to you.</p>
      <form
        className="decide"
        onSubmit={(event) => {
          event.preventDefault();
          setCode(`${plain.slice(0, 4)}-${plain.slice(4)}`);
        }}
      >
        <input
          className="input mono"
          aria-label="Code"
          placeholder="XXXX-XXXX"
          value={text}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          onChange={({ target }) => setText(target.value)}
        />
        <Button look="main" type="submit" disabled={plain.length !== letters}>
          Go on
        </Button>
      </form>
    </Frame>
  );
}

const outcomes: Readonly<Record<string, string>> = {
  connected: 'The device is logged in',
  refused: 'The device was refused',
};

export const DeviceDonePage = ({ outcome }: { readonly outcome: string }) => (
  <Frame title={outcomes[outcome] ?? 'Nothing to decide'}>
    <p>Go back to the terminal. This page can be closed.</p>
  </Frame>
);

/** Says how a server is added: the page cannot write the configuration, which may start programs. */
import { useState } from 'react';

import { CopyButton } from '../parts/copyButton.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { addCommand } from './addCommand.ts';

export function AddServerDialog({ onClose }: { readonly onClose: () => void }) {
  const [what, setWhat] = useState('');
  const command = addCommand(what);
  return (
    <Dialog title="Add a server" onClose={onClose}>
      <p>
        Servers come from <code>mcp.json</code>. This page does not write it: a server is a program that runs here. The
        command starts it once as a test, and adds it.
      </p>
      <label className="field">
        <span className="label">npm package, address, or name in the registry</span>
        <input
          className="input"
          placeholder="@modelcontextprotocol/server-memory"
          value={what}
          onChange={({ target }) => setWhat(target.value)}
        />
      </label>
      <div className="row">
        <code className="chip breaks grow">{command}</code>
        <CopyButton text={command} label="Copy the command" />
      </div>
      <p className="small dim">
        Run it in the folder of <code>mcp.json</code>. <code>baton dev</code> uses the new server at once; after{' '}
        <code>baton server</code> restart Baton.
      </p>
    </Dialog>
  );
}

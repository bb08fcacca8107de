/** A server on this machine to which the browser comes back (RFC 8252, section 7.3). */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { noticePage } from '@baton/oauth/login';

export interface Loopback {
  readonly redirectUri: string;
  /** Resolves when the browser comes back with that state: other pages can send a browser here, too. */
  comesBack(state: string): Promise<ReturnedBrowser>;
  close(): void;
}

interface ReturnedBrowser {
  /** Of the address. */
  readonly query: string;
  /** Shows it to the person. */
  readonly say: (title: string, said: string) => Promise<void>;
}

export async function openLoopback(): Promise<Loopback> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    comesBack: (state) => {
      const { promise, resolve } = Promise.withResolvers<ReturnedBrowser>();
      server.on('request', ({ url = '' }, response) => {
        const [path, query = ''] = url.split('?');
        if (path === '/' && new URLSearchParams(query).get('state') === state)
          resolve({ query, say: (title, said) => show(response, title, said) });
        else response.writeHead(404, { connection: 'close' }).end();
      });
      return promise;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function show(response: ServerResponse, title: string, said: string): Promise<void> {
  const { body, headers } = noticePage({ title, said: [said] });
  response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8', connection: 'close' });
  response.end(body);
  // The command may end after this.
  if (!response.writableFinished) await Promise.race([once(response, 'finish'), once(response, 'close')]);
}

import { once } from 'node:events';
import { createServer } from 'node:net';

import { PortTakenError } from '../failure/cannotListen.ts';

/** A TCP port on loopback that is free now. Another process may take it first, so be ready to ask again. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

/** Rejects with `PortTakenError` where another process listens there now, before anything is made. */
export async function checkPort(place: { readonly host: string; readonly port: number }): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(place), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new PortTakenError(place, { cause: error });
    // The process that will listen there reports any other error.
    return;
  }
  server.close();
  await once(server, 'close');
}

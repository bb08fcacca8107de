/** Closes the server: requests under way get an answer while there is time; idle connections are closed. */
import type { Socket } from 'node:net';

import type { App } from './edge.ts';

/** `close` resolves when all connections are closed; those that still want an answer after `graceMs` are cut. */
export interface Closing {
  close(graceMs: number): Promise<void>;
}

/**
 * Browsers open connections ahead of need. Node 24 counts one on which nothing came as one with a request under way, and
 * waits for it when it closes (https://github.com/nodejs/node/issues/63452).
 */
export function closingOf(app: Pick<App, 'server' | 'close'>): Closing {
  const { server } = app;
  const unasked = new Set<Socket>();
  let isClosing = false;
  server.on('connection', (socket) => {
    if (isClosing) return socket.destroy();
    unasked.add(socket);
    return socket.once('close', () => unasked.delete(socket));
  });
  server.on('request', ({ socket }) => unasked.delete(socket));
  return {
    async close(graceMs) {
      isClosing = true;
      for (const socket of unasked) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(cut);
    },
  };
}

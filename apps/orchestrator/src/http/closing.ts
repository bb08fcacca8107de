/** Closes the server: requests in progress get an answer within the grace time; idle connections are closed. */
import type { Socket } from 'node:net';

import type { App } from './edge.ts';

/** `close` resolves when all connections are closed; those with a request in progress are cut after `graceMs`. */
export interface ServerCloser {
  close(graceMs: number): Promise<void>;
}

/** How often connections that have become idle are closed meanwhile. */
const idleEveryMs = 50;

/**
 * Browsers open connections ahead of need. Node 24 counts a connection without data as one with a request in progress,
 * and waits for it (https://github.com/nodejs/node/issues/63452). It also waits for connections whose request is answered
 * later, until their clients close them.
 */
export function closerOf(app: Pick<App, 'server' | 'close'>): ServerCloser {
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
      const closeIdle = setInterval(() => server.closeIdleConnections(), idleEveryMs);
      try {
        await app.close();
      } finally {
        clearTimeout(cut);
        clearInterval(closeIdle);
      }
    },
  };
}

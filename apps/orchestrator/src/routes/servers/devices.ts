/** The route by which workers call devices that are connected to this orchestrator. For workers only. */
import type { RelayReply, RelayRequest } from '@baton/devices';

import type { App } from '../../http/edge.ts';

/** Authenticates by itself: the request has the key of the installation, not an API key. */
export function deviceRoutes(app: App, relay: (request: RelayRequest) => Promise<RelayReply>): void {
  app.post('/internal/devices', { config: { access: 'public' } }, async (request, reply) => {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    reply.raw.once('close', leave);
    const { headers, body } = request;
    const { status, body: answer } = await relay({
      authorization: headers.authorization,
      body,
      signal: gone.signal,
    });
    reply.raw.off('close', leave);
    reply.code(status);
    return answer;
  });
}

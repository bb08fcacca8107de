/** Where workers, to which no device is connected, have devices called that are connected here. Not for anybody else. */
import type { RelayReply, RelayRequest } from '@baton/devices';

import type { App } from '../../http/edge.ts';

/** Not at its edge but by itself, it looks at who asks: the key is of the installation, and no API key. */
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

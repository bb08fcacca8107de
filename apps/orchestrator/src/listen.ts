import { cannotListen } from '@baton/boot';

import type { App } from './http/edge.ts';

/** Resolves to the address of the API. Rejects with advice where nothing can listen there. */
export async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await app.listen({ host, port }).catch(cannotListen({ host, port }, 'BATON'));
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;
}

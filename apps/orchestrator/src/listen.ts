import { PortTakenError } from '@baton/boot';

import type { App } from './http/edge.ts';

/** Resolves to the address of the API. Rejects with advice if the port is taken. */
export async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new PortTakenError({ host, port }, { cause: error });
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;
}

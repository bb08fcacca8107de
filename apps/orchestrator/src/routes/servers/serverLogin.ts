/** Where the log-in of a person to a server with OAuth ends. */
import { FailureError } from '@baton/engine';
import { cleanText } from '@baton/primitives';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';

export const callbackPath = '/oauth/callback';

/** The browser of a person who agreed returns here. */
export function loginReturnRoute(app: App, { servers }: { readonly servers: Pick<Servers, 'finishLogin'> }): void {
  // The browser has no key here; `state` authenticates it. No HEAD, since a code can be used once.
  app.get(callbackPath, { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    const { status, text } = await finishLogin(servers, request.url);
    // Plain text, because HTML could contain what an attacker wrote into the address. No referrer, which would leak it.
    return reply
      .code(status)
      .headers({ 'referrer-policy': 'no-referrer' })
      .type('text/plain; charset=utf-8')
      .send(text);
  });
}

interface LoginPage {
  readonly status: number;
  readonly text: string;
}

/** Converts a `FailureError`; rejects with any other error. */
async function finishLogin(servers: Pick<Servers, 'finishLogin'>, address: string): Promise<LoginPage> {
  try {
    const name = await servers.finishLogin(new URL(address, 'http://here').searchParams);
    return { status: 200, text: `Baton may use the server "${name}" now. This page can be closed.\n` };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const why = cleanText(error.failure.message, 500);
    return { status: 400, text: `${why}\n\nThe log-in failed. Begin again: baton servers login NAME\n` };
  }
}

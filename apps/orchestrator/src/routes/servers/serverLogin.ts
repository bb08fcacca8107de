/** Where the log-in of a person to a server with OAuth ends. */
import { FailureError } from '@baton/engine';
import { noticePage } from '@baton/oauth';
import { cleanText } from '@baton/primitives';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';

export const callbackPath = '/oauth/callback';

/** The browser of a person who agreed returns here. */
export function loginReturnRoute(app: App, { servers }: { readonly servers: Pick<Servers, 'finishLogin'> }): void {
  // The browser has no key here; `state` authenticates it. No HEAD, since a code can be used once.
  app.get(callbackPath, { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    const { status, headers, type, body } = await finishLogin(servers, new URL(request.url, 'http://here'));
    return reply.code(status).headers(headers).type(`${type}; charset=utf-8`).send(body);
  });
}

interface LoginPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly type: 'text/plain' | 'text/html';
  readonly body: string;
}

/** Converts a `FailureError`; rejects with any other error. */
async function finishLogin(servers: Pick<Servers, 'finishLogin'>, address: URL): Promise<LoginPage> {
  try {
    const { server, unconfirmed } = await servers.finishLogin(address.searchParams);
    if (unconfirmed === undefined)
      return asText(200, `Baton may use the server "${server}" now. This page can be closed.\n`);
    return confirmation(server, unconfirmed, address);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const why = cleanText(error.failure.message, 500);
    return asText(400, `${why}\n\nThe log-in failed. Begin again: baton servers login NAME\n`);
  }
}

type Unconfirmed = NonNullable<Awaited<ReturnType<Servers['finishLogin']>>['unconfirmed']>;

/** Who was sent the address of another person would give them their own account. */
function confirmation(server: string, { person, proof }: Unconfirmed, { pathname, searchParams }: URL): LoginPage {
  const again = new URLSearchParams(searchParams);
  again.set('confirm', proof);
  const { body, headers } = noticePage({
    title: `Is this your login, ${person}?`,
    said: [
      `${person} asked Baton for this login at the server "${server}". Runs of ${person} will act there with the account that you just allowed.`,
      `If you are not ${person}, close this page: nothing is stored.`,
    ],
    link: { text: `I am ${person}: use my account`, address: `${pathname}?${again.toString()}` },
  });
  return { status: 200, headers, type: 'text/html', body };
}

/** Plain text, because HTML could contain what an attacker wrote into the address. No referrer, which would leak it. */
const asText = (status: number, body: string): LoginPage => ({
  status,
  headers: { 'referrer-policy': 'no-referrer' },
  type: 'text/plain',
  body,
});

/** Logging in to a server that wants OAuth, where somebody agrees in a browser that then comes back here; and out of it. */
import { FailureError } from '@baton/engine';
import { cleanText } from '@baton/protocol';
import type { Store } from '@baton/store';
import { noteServerAccess } from '@baton/store';
import type { Servers } from '@baton/transports';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { ProblemError } from '../http/problem.ts';

export const callbackPath = '/oauth/callback';

const Login = z
  .union([
    z.strictObject({ url: z.url().meta({ description: 'Where somebody agrees, in a browser.' }) }),
    z.strictObject({ status: z.literal('connected').meta({ description: 'Nobody has to agree.' }) }),
  ])
  .meta({ id: 'ServerLogin' });

const Logout = z
  .strictObject({
    status: z.enum(['logged-out', 'not-logged-in']),
    problem: z
      .string()
      .optional()
      .meta({ description: 'Why the tokens may still count for whoever has them. Absent: they were taken back.' }),
  })
  .meta({ id: 'ServerLogout' });

const config: { readonly access: Access } = { access: ['servers:approve'] };
const about = { tags: ['Servers'], params: z.strictObject({ name: z.string() }) };

export interface ServerLoginOptions {
  readonly store: Store;
  readonly servers: Pick<Servers, 'takesLogins' | 'login' | 'finishLogin' | 'logout'>;
  /** Throws `ProblemError` where there is no such server. */
  readonly nameOf: (name: string) => string;
}

export function serverLoginRoutes(app: App, { store, servers, nameOf }: ServerLoginOptions): void {
  const loginNameOf = async (given: string): Promise<string> => {
    const name = nameOf(given);
    if (await servers.takesLogins(name)) return name;
    const detail = `Nobody logs in to the server "${name}": it is a process, or its token is configured.`;
    throw new ProblemError('conflict', detail);
  };
  app.post(
    '/v1/servers/:name/login',
    {
      config,
      schema: {
        ...about,
        summary: 'Begin to log in to a server that wants OAuth',
        description:
          'The address is for one login, of one person. Their browser comes back to this API; from then on every worker has a token, and keeps it fresh.',
        response: { 200: Login },
      },
    },
    async ({ params, principal }): Promise<z.infer<typeof Login>> => {
      const name = await loginNameOf(params.name);
      const url = await servers.login(name);
      await noteServerAccess(store, 'server.login', name, principal.by);
      return url === undefined ? { status: 'connected' } : { url };
    },
  );
  app.post(
    '/v1/servers/:name/logout',
    {
      config,
      schema: {
        ...about,
        summary: 'Log out of a server that wants OAuth',
        description:
          'The tokens are forgotten, and taken back where the authorization server can be told (RFC 7009). Workers notice within a minute.',
        response: { 200: Logout },
      },
    },
    async ({ params, principal }): Promise<z.infer<typeof Logout>> => {
      const name = await loginNameOf(params.name);
      const { wasLoggedIn, problem } = await servers.logout(name);
      if (!wasLoggedIn) return { status: 'not-logged-in' };
      await noteServerAccess(store, 'server.logout', name, principal.by);
      return { status: 'logged-out', ...(problem === undefined ? {} : { problem }) };
    },
  );
  // A browser comes here without a key: what it brings counts by its `state`. No HEAD: a code can be used once.
  app.get(
    callbackPath,
    { config: { access: 'public' }, schema: { hide: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const { status, text } = await finished(servers, request.url);
      // As text, for no page shows what somebody wrote into an address; and the address goes no further.
      return reply
        .code(status)
        .headers({ 'referrer-policy': 'no-referrer' })
        .type('text/plain; charset=utf-8')
        .send(text);
    },
  );
}

interface Page {
  readonly status: number;
  readonly text: string;
}

/** Rejects with what is no `FailureError`. */
async function finished(servers: ServerLoginOptions['servers'], address: string): Promise<Page> {
  try {
    const name = await servers.finishLogin(new URL(address, 'http://here').searchParams);
    return { status: 200, text: `Baton may use the server "${name}" now. This page can be closed.\n` };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const why = cleanText(error.failure.message, 500);
    return { status: 400, text: `${why}\n\nNobody was logged in. Begin again: baton servers login NAME\n` };
  }
}

/** For tests: a real identity provider on this machine. It logs in the person who is named, without a question. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Provider } from 'oidc-provider';

interface UpstreamPerson {
  readonly name?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
  /** Epoch seconds: its tokens are not good before. */
  readonly nbf?: number;
}

export const upstreamClient = { clientId: 'baton', clientSecret: 'the secret of Baton at its provider' } as const;

export class Upstream {
  readonly issuer: string;
  readonly #server: Server;
  /** By subject. One who is taken out is not vouched for any more. */
  readonly people = new Map<string, UpstreamPerson>();
  /** Who is in front of the browser. */
  subject = '';
  /** Every request is refused while it is down. */
  isDown = false;
  /** It gives tokens, and answers nothing about whom they are for. */
  isSilent = false;
  /** How often it was asked for tokens. */
  tokenRequests = 0;
  #answer: ReturnType<Provider['callback']> | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      if (request.url === '/token') this.tokenRequests += 1;
      const isCut = this.isDown || (this.isSilent && request.url === '/me');
      if (isCut || this.#answer === undefined) request.socket.destroy();
      else void this.#answer(request, response);
    });
  }

  static async start(): Promise<Upstream> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Upstream(server);
  }

  /** `baton`: the address of Baton, to which it sends browsers back. */
  serve(baton: string): void {
    const { clientId, clientSecret } = upstreamClient;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const provider = new Provider(this.issuer, {
      clients: [
        { client_id: clientId, client_secret: clientSecret, redirect_uris: [`${baton}/oidc/callback`], grant_types },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      scopes: ['openid', 'offline_access', 'profile', 'email', 'groups'],
      claims: { profile: ['name', 'nbf'], email: ['email'], groups: ['groups'] },
      conformIdTokenClaims: false,
      issueRefreshToken: async () => true,
      // As many do: a refresh token is good once.
      rotateRefreshToken: true,
      features: { devInteractions: { enabled: false } },
      ttl: { IdToken: 600, AccessToken: 600, RefreshToken: 3_600, Session: 600, Interaction: 600, Grant: 600 },
      findAccount: async (_context, subject) => {
        const claims = this.people.get(subject);
        return claims && { accountId: subject, claims: async () => ({ sub: subject, ...claims }) };
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          accountId: oidc.session?.accountId ?? '',
          clientId: oidc.client?.clientId ?? '',
        });
        grant.addOIDCScope('openid offline_access profile email groups');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      if (!context.path.startsWith('/interaction/')) return next();
      const login = { accountId: this.subject, remember: false };
      const result = this.subject === '' ? { error: 'access_denied' } : { login };
      await provider.interactionFinished(context.req, context.res, result);
      context.respond = false;
      return undefined;
    });
    this.#answer = provider.callback();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const grant_types = ['authorization_code', 'refresh_token'];

/**
 * For tests: a real authorization server (oidc-provider) for MCP servers, at which clients register themselves. It logs in
 * the account that is named, without a question.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Provider } from 'oidc-provider';

const scope = 'openid offline_access use';

/** Of a browser that agrees. */
const stepsMax = 10;

export class AccountAuthority {
  readonly issuer: string;
  /** Who is in front of the browser. */
  account = '';
  readonly #server: Server;
  readonly #provider: Provider;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#provider = this.#newProvider();
    const answer = this.#provider.callback();
    server.on('request', (request, response) => void answer(request, response));
  }

  static async start(): Promise<AccountAuthority> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new AccountAuthority(server);
  }

  /** The account of a good access token; undefined: it is none, or has ended. */
  async accountOf(token: string): Promise<string | undefined> {
    const found = await this.#provider.AccessToken.find(token);
    return found?.isValid === true ? found.accountId : undefined;
  }

  /** What a browser does whose person agrees: the address that it is sent back to. */
  async agree(address: string, account: string): Promise<URL> {
    this.account = account;
    const cookies = new Map<string, string>();
    let at = new URL(address);
    for (let turns = 0; at.origin === this.issuer; turns += 1) {
      if (turns === stepsMax) throw new Error(`the browser is sent round and round, and is at ${at.href}`);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const one of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
        cookies.set(name, value);
      }
      const next = answer.headers.get('location');
      if (next === null) throw new Error(`${at.href} answered ${answer.status}: ${await answer.text()}`);
      at = new URL(next, at);
    }
    return at;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #newProvider(): Provider {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const provider = new Provider(this.issuer, {
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      scopes: scope.split(' '),
      issueRefreshToken: async () => true,
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: async () => ({ scope: 'use', accessTokenFormat: 'opaque' }),
          useGrantedResource: async () => true,
        },
      },
      ttl: { IdToken: 600, AccessToken: 600, RefreshToken: 3_600, Session: 600, Interaction: 600, Grant: 600 },
      findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          accountId: oidc.session?.accountId ?? '',
          clientId: oidc.client?.clientId ?? '',
        });
        grant.addOIDCScope(scope);
        grant.addResourceScope(String(oidc.params?.['resource']), 'use');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      if (!context.path.startsWith('/interaction/')) return next();
      const login = { accountId: this.account, remember: false };
      await provider.interactionFinished(context.req, context.res, { login, consent: {} });
      context.respond = false;
      return undefined;
    });
    return provider;
  }
}

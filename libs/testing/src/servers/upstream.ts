/** For tests: a real identity provider on this machine. It logs in the person who is named, without a question. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import * as jose from 'jose';
import { Provider } from 'oidc-provider';

interface UpstreamPerson {
  readonly name?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
  /** Epoch seconds: its tokens are not good before. */
  readonly nbf?: number;
}

export const upstreamClient = { clientId: 'baton', clientSecret: 'the secret of Baton at its provider' } as const;

/** A client of MCP that is registered there, and asks for tokens of other servers (RFC 8707). */
export const upstreamMcpClient = { clientId: 'mcp-client', redirectUri: 'https://client.example/callback' } as const;

interface IssuedToken {
  readonly subject: string;
  /** The server that it is for. */
  readonly resource: string;
  readonly scope: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

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
  /** How often it was asked for anything. */
  requests = 0;
  /** How often it was asked for its keys. */
  keyRequests = 0;
  #key = newKey();
  #baton = '';
  #provider: Provider | undefined;
  /** What its access tokens say besides. */
  tokenClaims: Readonly<Record<string, unknown>> = {};
  #answer: ReturnType<Provider['callback']> | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.requests += 1;
      if (request.url === '/token') this.tokenRequests += 1;
      if (request.url === '/jwks') this.keyRequests += 1;
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
    this.#baton = baton;
    const provider = new Provider(this.issuer, {
      clients: [
        { client_id: clientId, client_secret: clientSecret, redirect_uris: [`${baton}/oidc/callback`], grant_types },
        mcpClient,
      ],
      jwks: { keys: [this.#key.jwk] },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      scopes: ['openid', 'offline_access', 'profile', 'email', 'groups'],
      claims: { profile: ['name', 'nbf'], email: ['email'], groups: ['groups'] },
      conformIdTokenClaims: false,
      issueRefreshToken: async () => true,
      // As many do: a refresh token is good once.
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: async (_context, audience) => ({ ...batonApi, audience }),
        },
      },
      extraTokenClaims: async () => ({ ...this.tokenClaims }),
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
        const { resource } = oidc.params ?? {};
        if (typeof resource === 'string') grant.addResourceScope(resource, batonApi.scope);
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
    this.#provider = provider;
    this.#answer = provider.callback();
  }

  /** It signs with another key from now on, and names that one alone. */
  rotate(): void {
    this.#key = newKey();
    this.serve(this.#baton);
  }

  /** An access token, as it gives it at its endpoint (RFC 9068). */
  async accessToken({ subject, resource, scope, claims = {} }: IssuedToken): Promise<string> {
    const provider = this.#provider;
    const client = await provider?.Client.find(mcpClient.client_id);
    if (provider === undefined || client === undefined) throw new Error('it does not serve yet');
    this.tokenClaims = claims;
    const grantId = await new provider.Grant({ accountId: subject, clientId: client.clientId }).save();
    const token = new provider.AccessToken({ accountId: subject, client, grantId, scope, gty: 'authorization_code' });
    token.resourceServer = new provider.ResourceServer(resource, { ...batonApi, audience: resource });
    return token.save();
  }

  /** A token of any form, signed with its key. */
  sign(header: Readonly<Record<string, unknown>>, claims: Readonly<Record<string, unknown>>): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, iat: now, exp: now + 300, jti: randomBytes(16).toString('hex') };
    return new jose.SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: this.#key.jwk.kid, ...header })
      .sign(this.#key.privateKey);
  }

  /** The public key, as it is published. */
  get publicKey(): string {
    return this.#key.publicKey;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const kid = randomBytes(6).toString('hex');
  const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid };
  return { privateKey, jwk, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

/** What it knows of Baton as a server for which it gives tokens. */
const batonApi = {
  scope: 'runs:read runs:write servers:read workflows:write questions:answer read run run-approved build',
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
} as const;

const grant_types: string[] = ['authorization_code', 'refresh_token'];

const mcpClient = {
  client_id: upstreamMcpClient.clientId,
  redirect_uris: [upstreamMcpClient.redirectUri],
  token_endpoint_auth_method: 'none',
  grant_types,
} as const;

/**
 * A server that wants a token, and the authorization server that gives them, as small as may be. It runs in the test's
 * own process.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

type Form = Record<string, string>;

export class AuthorizedServer {
  /** Of the authorization server: this one, unless the test says otherwise. */
  issuer = '';
  /** What the resource names as its authorization server; absent: the issuer. */
  announced: string | undefined;
  /** An answer in place of the usual one. */
  odd: (path: string, body: string) => { status: number; text: string; type?: string } | undefined = () => undefined;
  /** Where clients register; absent: here. */
  registersAt: string | undefined;
  /** Where tokens are given; absent: here. */
  tokensAt: string | undefined;
  /** Bodies of token requests. */
  readonly asked: Form[] = [];
  /** Clients that registered themselves. */
  readonly registered: unknown[] = [];
  /** Bodies of revocations (RFC 7009). */
  readonly revoked: Form[] = [];
  /** Called before a token is given. */
  onToken = (): void => {};
  /** Answers to requests for tokens begin, and never end. */
  isStuck = false;
  /** Where it says that its metadata are. */
  metadata: string | undefined;
  /** Whether it says where tokens are taken back. */
  takesBack = true;
  /** `Authorization` of what came to the server itself. */
  readonly seen: (string | undefined)[] = [];
  readonly #challenges = new Map<string, string>();
  readonly #good = new Set<string>();
  readonly #refreshable = new Set<string>();
  readonly #http = createServer((request, response) => {
    void bodyOf(request).then((body) => this.#answer(request, response, body));
  });
  #base = '';
  #count = 0;

  /** On a free port. The caller closes it. */
  static async start(): Promise<AuthorizedServer> {
    const server = new AuthorizedServer();
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    const address = server.#http.address();
    server.#base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    server.issuer = server.#base;
    return server;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  get url(): string {
    return `${this.#base}/mcp`;
  }

  /** No token given so far is good any more. */
  expire(): void {
    this.#good.clear();
  }

  /** What a browser does, with a person who agrees: the address that it is sent back to, query and all. */
  async agree(address: string | undefined): Promise<URL> {
    const answer = await fetch(address ?? '', { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '');
  }

  /** Refresh tokens are not good either. */
  forget(): void {
    this.expire();
    this.#refreshable.clear();
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
    const odd = this.odd(pathname, body);
    if (odd !== undefined)
      response.writeHead(odd.status, { 'content-type': odd.type ?? 'application/json' }).end(odd.text);
    else if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      const announced = this.announced ?? this.issuer;
      json(response, { resource: this.url, authorization_servers: [announced], scopes_supported: ['use'] });
    } else if (pathname.startsWith('/.well-known/')) json(response, this.described());
    else if (pathname === '/register') {
      const client = JSON.parse(body) as object;
      this.registered.push(client);
      json(response, { ...client, client_id: `client-${this.registered.length}` }, 201);
    } else if (pathname === '/authorize') response.writeHead(302, { location: this.#agree(searchParams) }).end();
    else if (pathname === '/token') this.#token(response, Object.fromEntries(new URLSearchParams(body)));
    else if (pathname === '/revoke') this.#revoke(response, Object.fromEntries(new URLSearchParams(body)));
    else this.#serve(request, response, body);
  }

  /** With a refresh token goes the token that was given with it. */
  #revoke(response: ServerResponse, form: Form): void {
    this.revoked.push(form);
    const token = form['token'] ?? '';
    this.#refreshable.delete(token);
    this.#good.delete(token.replace('refresh-', 'token-'));
    response.writeHead(200).end();
  }

  /** Its metadata (RFC 8414). */
  described(): Readonly<Record<string, unknown>> {
    const at = this.issuer.replace(/\/$/, '');
    return {
      issuer: this.issuer,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: this.tokensAt ?? `${at}/token`,
      registration_endpoint: this.registersAt ?? `${at}/register`,
      ...(this.takesBack ? { revocation_endpoint: `${at}/revoke` } : {}),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #agree(asked: URLSearchParams): string {
    const code = `code-${++this.#count}`;
    this.#challenges.set(code, asked.get('code_challenge') ?? '');
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.issuer }).toString();
    return back.href;
  }

  #token(response: ServerResponse, form: Form): void {
    this.asked.push(form);
    this.onToken();
    if (this.isStuck) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      return;
    }
    if (!this.#mayHave(form)) {
      json(response, { error: 'invalid_grant', error_description: 'used already' }, 400);
      return;
    }
    const [token, refresh] = [`token-${++this.#count}`, `refresh-${this.#count}`];
    this.#good.add(token);
    this.#refreshable.add(refresh);
    json(response, { access_token: token, token_type: 'Bearer', refresh_token: refresh, scope: 'use' });
  }

  #mayHave(form: Form): boolean {
    if (form['grant_type'] === 'client_credentials') return true;
    if (form['grant_type'] === 'refresh_token') return this.#refreshable.delete(form['refresh_token'] ?? '');
    const digest = createHash('sha256').update(form['code_verifier'] ?? '');
    return this.#challenges.get(form['code'] ?? '') === digest.digest('base64url');
  }

  #serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { authorization } = request.headers;
    this.seen.push(authorization);
    if (!this.#good.has(authorization?.replace('Bearer ', '') ?? '')) {
      const metadata = this.metadata ?? `${this.#base}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end('log in');
      return;
    }
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as Message;
    if (request.method !== 'POST') response.writeHead(405).end();
    else if (method === 'server/discover') response.writeHead(400).end('no such method');
    else if (id === undefined) response.writeHead(202).end();
    else json(response, { jsonrpc: '2.0', id, result: results[method ?? ''] ?? welcome });
  }
}

const welcome = { content: [{ type: 'text', text: 'welcome' }] };

/** By method. */
const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'by hand', version: '1' },
  },
  'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

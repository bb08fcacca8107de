/** For tests: a client of OAuth that keeps to the letter, its document on a server of its own, and a person in a browser. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { testCertificate } from '@baton/testing';

/** Serves documents of clients over TLS. What it serves can be changed. */
export class ClientDocuments {
  readonly #server: ReturnType<typeof createServer>;
  readonly #documents = new Map<string, object>();
  /** Paths that were asked for. */
  readonly asked: string[] = [];

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      this.asked.push(path);
      const document = this.#documents.get(path);
      response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document ?? {}));
    });
  }

  static async start(): Promise<ClientDocuments> {
    const { key, certificate } = testCertificate();
    setDefaultCACertificates([...getCACertificates(), certificate]);
    const server = createServer({ key, cert: certificate });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ClientDocuments(server);
  }

  /** The id of the client. */
  put(path: string, document: Readonly<Record<string, unknown>>): string {
    const id = `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
    const usual = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
    this.#documents.set(path, { client_id: id, client_name: 'A client', ...usual, ...document });
    return id;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let addresses = 0;

function nextAddress(): string {
  addresses += 1;
  return `10.1.${addresses >> 8}.${addresses & 255}`;
}

export const redirectUri = 'http://127.0.0.1:7777/callback';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A browser: it keeps cookies by path, as the server sets them, and follows no redirect by itself. */
export class TestBrowser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();
  readonly #base: string;
  readonly #address: string | undefined;

  /** `base`: of Baton. `address`: of the browser, as a proxy says it; absent: another one with each request. */
  constructor(base: string, address?: string) {
    this.#base = base;
    this.#address = address;
  }

  async open(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#base);
    const sent = [...this.#cookies].filter(([, { path }]) => url.pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ');
    const own = { 'x-forwarded-for': this.#address ?? nextAddress(), ...Object.fromEntries(new Headers(init.headers)) };
    const headers = { ...own, ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
      this.#cookies.set(`${name} ${path}`, { value, path });
    }
    return answer;
  }

  async logIn(key: string): Promise<void> {
    await this.post('/v1/session', { key });
  }

  async json(path: string): Promise<Record<string, unknown>> {
    const answer = await this.open(path, { headers: { 'sec-fetch-site': 'same-origin' } });
    return (await answer.json()) as Record<string, unknown>;
  }

  /** As the page sends it. */
  post(path: string, json: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    return this.open(path, { method: 'POST', headers, body: JSON.stringify(json) });
  }

  /** Begins an authorization. Resolves to its id, if a person is asked. */
  async begin(authorize: string | URL): Promise<string> {
    const answer = await this.open(authorize);
    const [, uid] = /\/connect\/([\w-]+)$/.exec(answer.headers.get('location') ?? '') ?? [];
    if (uid === undefined) throw new Error(`nothing is asked: ${answer.status} ${await answer.text()}`);
    return uid;
  }

  /** The address to which the client's browser comes back. */
  async agree(authorize: string | URL, choice: string | null = 'run'): Promise<URL> {
    const uid = await this.begin(authorize);
    const decided = await this.post(`/v1/consents/${uid}`, { choice });
    if (decided.status !== 200) throw new Error(await decided.text());
    const { goOn } = (await decided.json()) as { readonly goOn: string };
    const back = await this.open(goOn);
    return new URL(back.headers.get('location') ?? `about:blank#${back.status}-${await back.text()}`);
  }
}

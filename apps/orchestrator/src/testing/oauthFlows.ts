/** For tests: a client of OAuth from its request to its tokens. */
import { type ClientDocuments, newPkce, redirectUri, type TestBrowser } from './oauthClient.ts';

export interface Flow {
  readonly client: string;
  readonly verifier: string;
  readonly url: string;
  readonly redirect: string;
  readonly resource: string;
}

interface FlowParts {
  /** Of Baton. */
  readonly base: string;
  readonly documents: ClientDocuments;
  /** The browser that agrees, unless a test names another one. */
  readonly admin: TestBrowser;
}

export class OAuthFlows {
  readonly #parts: () => FlowParts;
  #clients = 0;

  /** `parts`: as they are when a flow begins. */
  constructor(parts: () => FlowParts) {
    this.#parts = parts;
  }

  /** What a client begins with. `more`: parameters of the request; an empty one is left out. */
  readonly newFlow = (
    document: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, string>> = {},
  ): Flow => {
    const { base, documents } = this.#parts();
    const client = more['client_id'] ?? documents.put(`/client-${(this.#clients += 1)}`, document);
    const { verifier, challenge } = newPkce();
    const resource = more['resource'] ?? `${base}/mcp`;
    const redirect = more['redirect_uri'] ?? redirectUri;
    const asked = {
      response_type: 'code',
      client_id: client,
      redirect_uri: redirect,
      state: 'its state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource,
      ...more,
    };
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
    return { client, verifier, resource, redirect, url: `/oauth/authorize?${query.toString()}` };
  };

  readonly tokensFor = async (form: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${this.#parts().base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const body = (await answer.json()) as Record<string, string>;
    return { status: answer.status, body, access: body['access_token'] ?? '', refresh: body['refresh_token'] ?? '' };
  };

  readonly exchange = ({ client, verifier, redirect, resource }: Flow, back: URL) =>
    this.tokensFor({
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: redirect,
      resource,
      code: back.searchParams.get('code') ?? '',
      code_verifier: verifier,
    });

  readonly refreshed = ({ client }: Flow, token: string) =>
    this.tokensFor({ grant_type: 'refresh_token', client_id: client, refresh_token: token });

  readonly connected = async (
    choice = 'run',
    more: Readonly<Record<string, string>> = {},
    browser = this.#parts().admin,
  ) => {
    const flow = this.newFlow({}, more);
    const given = await this.exchange(flow, await browser.agree(flow.url, choice));
    if (given.status !== 200) throw new Error(JSON.stringify(given.body));
    return { flow, ...given };
  };

  /** The status, and the challenge. */
  readonly asked = async (path: string, token: string, json?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(json !== undefined && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
    };
    const more = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const answer = await fetch(`${this.#parts().base}${path}`, { headers, ...more });
    await answer.text();
    return [answer.status, answer.headers.get('www-authenticate')] as const;
  };
}

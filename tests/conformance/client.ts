/** A client for the official suite: calls what the server of a scenario offers, through our transports and their pool. */
import { tmpdir } from 'node:os';

import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { readServers } from '@baton/protocol';
import { openServers, type Servers } from '@baton/transports';

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
}

/** As the suite gives it to the process of a client. */
export interface ConformanceScenario {
  /** Of the server. */
  readonly url: string;
  readonly name: string;
  /** JSON. */
  readonly context: string;
}

/** Rejects where a call does not do what the scenario needs. */
export async function playScenario(scenario: ConformanceScenario): Promise<void> {
  const client = new ConformanceClient(scenario);
  await client.play(await client.auth());
}

class ConformanceClient {
  readonly #url: string;
  readonly #scenario: string;
  readonly #context: Context;
  readonly #tokens = new Map<string, string>();
  #logins = 0;

  constructor({ url, name, context }: ConformanceScenario) {
    this.#url = url;
    this.#scenario = name;
    this.#context = JSON.parse(context) as Context;
  }

  /** Members of the entry in `mcp.json`. */
  async auth(): Promise<object> {
    const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = this.#context;
    if (clientId === undefined) return {};
    if (privateKey !== undefined) {
      const issuer = await this.#issuer();
      return { auth: { grant: 'private-key-jwt', issuer, clientId, privateKey: '${secret:KEY}' } };
    }
    if (!this.#scenario.includes('client-credentials')) return { auth: { grant: 'code', clientId, clientSecret } };
    return { auth: { grant: 'client-credentials', issuer: await this.#issuer(), clientId, clientSecret } };
  }

  /**
   * The suite's authorization servers listen on other ports of this machine. Baton refuses an origin that a server names
   * until `mcp.json` names it too: the client adds the origin that the refusal tells, as an operator would.
   */
  async play(auth: object, origins: readonly string[] = []): Promise<void> {
    const servers = this.#open(auth, origins);
    this.#logins = 0;
    try {
      await this.#callAll(servers);
    } catch (error) {
      const origin = /add "(http[^"]+)" to "baton"/.exec(error instanceof Error ? error.message : '')?.[1];
      if (origin === undefined || origins.includes(origin)) throw error;
      await servers.close();
      return await this.play(auth, [...origins, origin]);
    } finally {
      await servers.close();
    }
  }

  /** As an operator would write it down, who knows whose clients these credentials are. */
  async #issuer(): Promise<string> {
    const answer = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', this.#url));
    return ((await answer.json()) as { readonly authorization_servers: [string] }).authorization_servers[0];
  }

  #open(auth: object, origins: readonly string[]): Servers {
    const baton = { openTimeout: '2m', elicitation: 'ask', sampling: 'allow', origins, ...auth };
    const entry = { url: this.#url, baton };
    return openServers(readServers(JSON.stringify({ mcpServers: { suite: entry } })).config, {
      environment: {},
      secret: (name) => (name === 'KEY' ? this.#context.private_key_pem : undefined),
      root: tmpdir(),
      version: '0.1.0',
      handlers: {
        // One scenario is about the defaults that are filled in for what a person leaves out.
        elicitation: async () => ({
          action: 'accept',
          content: this.#scenario.includes('defaults') ? {} : { confirmed: true },
        }),
        sampling: async () => ({
          role: 'assistant',
          content: { type: 'text', text: 'x' },
          model: 'm',
          stopReason: 'endTurn',
        }),
      },
      oauth: {
        store: {
          load: async (name) => this.#tokens.get(name),
          save: async (name, text) => void this.#tokens.set(name, text),
        },
        redirectUrl: 'http://localhost:3000/callback',
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
      },
    });
  }

  async #callAll(servers: Servers): Promise<void> {
    const { tools } = await this.#withLogin(servers, () => servers.test('suite'));
    const calls =
      this.#context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: neededBy(inputSchema) }));
    // Several that ask for input at once are not to be mixed up.
    const callOne = (one: (typeof calls)[number]): Promise<void> =>
      this.#call(servers, one.name, withoutNulls(one.arguments ?? {}));
    if (this.#scenario.includes('request-state')) await Promise.all(calls.map(callOne));
    else for (const one of calls) await callOne(one);
  }

  async #call(servers: Servers, tool: string, args: JsonObject): Promise<void> {
    const { signal } = new AbortController();
    const asking = {
      runId: 'run',
      attemptKey: 'run/step#1',
      signal,
      timeout: {},
      beginSend: () => true,
      onProgress: () => {},
    };
    try {
      await this.#withLogin(servers, () => servers.calls.callTool({ server: 'suite', tool, arguments: args }, asking));
    } catch (error) {
      // Some tools are there to fail.
      if (!(error instanceof FailureError) || error.code === 'server-unauthorized') throw error;
    }
  }

  /** A user who agrees to everything, and loses patience at last. */
  async #withLogin<T>(servers: Servers, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof FailureError) || error.code !== 'server-unauthorized' || this.#logins++ >= 3)
          throw error;
      }
      const address = await servers.login('suite');
      if (address === undefined) continue;
      const answer = await fetch(address, { redirect: 'manual' });
      await servers.finishLogin(new URL(answer.headers.get('location') ?? '').searchParams);
    }
  }
}

/** Baton sends no arguments that do not fit. */
function neededBy(inputSchema: JsonObject): JsonObject {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(required.map((name) => [name, properties[name]?.type === 'number' ? 5 : 'x']));
}

/** As a workflow leaves them out: the schemas of the suite take no `null`. */
const withoutNulls = (given: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/**
 * A client for the official suite: calls what the server offers, through our transports and their pool.
 *
 *   node client.ts URL      with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT, as the suite sets them
 */
import { tmpdir } from 'node:os';

import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { readServers } from '@baton/protocol';
import { openServers, type Servers } from '@baton/transports';

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
}

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: contextText = '{}' } = process.env;
const context = JSON.parse(contextText) as Context;
const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
const url = process.argv.at(-1) ?? '';

/** As an operator would write it down, who knows whose clients these credentials are. */
async function issuer(): Promise<string> {
  const answer = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  return ((await answer.json()) as { readonly authorization_servers: [string] }).authorization_servers[0];
}

async function authOf(): Promise<object> {
  if (clientId === undefined) return {};
  if (privateKey !== undefined) {
    return { auth: { grant: 'private-key-jwt', issuer: await issuer(), clientId, privateKey: '${secret:KEY}' } };
  }
  if (!scenario.includes('client-credentials')) return { auth: { grant: 'code', clientId, clientSecret } };
  return { auth: { grant: 'client-credentials', issuer: await issuer(), clientId, clientSecret } };
}

const auth = await authOf();
const tokens = new Map<string, string>();

function openSuite(origins: readonly string[]): Servers {
  const entry = { url, baton: { openTimeout: '2m', elicitation: 'ask', sampling: 'allow', origins, ...auth } };
  return openServers(readServers(JSON.stringify({ mcpServers: { suite: entry } })).config, {
    environment: {},
    secret: (name) => (name === 'KEY' ? privateKey : undefined),
    root: tmpdir(),
    version: '0.1.0',
    handlers: {
      // One scenario is about the defaults that are filled in for what a person leaves out.
      elicitation: async () => ({
        action: 'accept',
        content: scenario.includes('defaults') ? {} : { confirmed: true },
      }),
      sampling: async () => ({
        role: 'assistant',
        content: { type: 'text', text: 'x' },
        model: 'm',
        stopReason: 'endTurn',
      }),
    },
    oauth: {
      store: { load: async (name) => tokens.get(name), save: async (name, text) => void tokens.set(name, text) },
      redirectUrl: 'http://localhost:3000/callback',
      clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    },
  });
}

let logins = 0;

/** A user who agrees to everything, and loses patience at last. */
async function withLogin<T>(servers: Servers, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FailureError) || error.code !== 'server-unauthorized' || logins++ >= 3) throw error;
    }
    const address = await servers.login('suite');
    if (address === undefined) continue;
    const answer = await fetch(address ?? '', { redirect: 'manual' });
    await servers.finishLogin(new URL(answer.headers.get('location') ?? '').searchParams);
  }
}

async function call(servers: Servers, tool: string, args: JsonObject): Promise<void> {
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
    await withLogin(servers, () => servers.calls.callTool({ server: 'suite', tool, arguments: args }, asking));
  } catch (error) {
    // Some tools are there to fail.
    if (!(error instanceof FailureError) || error.code === 'server-unauthorized') throw error;
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

async function callAll(servers: Servers): Promise<void> {
  const { tools } = await withLogin(servers, () => servers.test('suite'));
  const calls = context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: neededBy(inputSchema) }));
  // Several that ask for input at once are not to be mixed up.
  const callOne = (one: (typeof calls)[number]): Promise<void> =>
    call(servers, one.name, withoutNulls(one.arguments ?? {}));
  if (scenario.includes('request-state')) await Promise.all(calls.map(callOne));
  else for (const one of calls) await callOne(one);
}

/**
 * The suite's authorization servers listen on other ports of this machine. Baton refuses an origin that a server names
 * until `mcp.json` names it too: the client adds the origin that the refusal tells, as an operator would.
 */
async function withNamedOrigins(origins: readonly string[]): Promise<void> {
  const servers = openSuite(origins);
  logins = 0;
  try {
    await callAll(servers);
  } catch (error) {
    const origin = /add "(http[^"]+)" to "baton"/.exec(error instanceof Error ? error.message : '')?.[1];
    if (origin === undefined || origins.includes(origin)) throw error;
    await servers.close();
    return await withNamedOrigins([...origins, origin]);
  } finally {
    await servers.close();
  }
}

try {
  await withNamedOrigins([]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

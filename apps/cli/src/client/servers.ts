/** MCP servers and what they offer, as the API shows them. */
import type { JsonObject } from '@baton/language';

import type { Client } from './client.ts';
import { collect } from './pages.ts';

export interface ShownServer {
  readonly name: string;
  readonly type?: string;
  /** `idle`: nobody has needed it yet. */
  readonly state?: string;
  /** How it introduced itself. */
  readonly server?: { readonly name?: string; readonly version?: string };
  readonly lastError?: { readonly code?: string; readonly message?: string };
  /** The configuration file says something else by now than what is used. */
  readonly onDisk?: string;
}

export interface ShownTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly effect?: string;
  readonly inputSchema?: JsonObject;
}

export const listServers = (client: Client): Promise<ShownServer[]> => collect(client, '/v1/servers');

export const listTools = (client: Client, server: string): Promise<ShownTool[]> =>
  collect(client, `/v1/servers/${encodeURIComponent(server)}/tools`);

/** What a server said when it was asked just now. */
export interface TestedServer {
  readonly name: string;
  readonly protocolVersion: string;
  readonly server?: { readonly name?: string; readonly version?: string };
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  /** What of it cannot be used, and why. */
  readonly problems: readonly string[];
}

/** A server may be slow to start: longer than for anything else is waited. */
const testMs = 120_000;

/** Rejects with `ProblemError` where the server does not answer. */
export async function testServer(client: Client, server: string): Promise<TestedServer> {
  const path = `/v1/servers/${encodeURIComponent(server)}/test`;
  return (await client.call('POST', path, { timeoutMs: testMs })).json as unknown as TestedServer;
}

/** A workflow that was checked against other tools than there are now. */
export interface ApprovedWorkflow {
  readonly workflow: string;
  /** The newest one now. */
  readonly version: number;
  readonly changes: readonly { readonly tool: string; readonly kind: string; readonly changes: readonly string[] }[];
  /** Why the workflow does not go with the tools as they are. */
  readonly refused?: string;
}

/** Rejects with `ProblemError` where the server does not answer. */
export async function approveServer(client: Client, server: string, preview: boolean): Promise<ApprovedWorkflow[]> {
  const path = `/v1/servers/${encodeURIComponent(server)}/approve`;
  const { json } = await client.call('POST', path, { timeoutMs: testMs, body: { preview } });
  return (json as unknown as { readonly data: ApprovedWorkflow[] }).data;
}

/** Where somebody agrees that Baton uses the server; undefined where nobody has to. Rejects with `ProblemError`. */
export async function loginToServer(client: Client, server: string): Promise<string | undefined> {
  const path = `/v1/servers/${encodeURIComponent(server)}/login`;
  const { json } = await client.call('POST', path, { timeoutMs: testMs });
  return (json as unknown as { readonly url?: string }).url;
}

export interface LoggedOut {
  readonly status: 'logged-out' | 'not-logged-in';
  /** Why the tokens may still count for whoever has them. */
  readonly problem?: string;
}

/** Rejects with `ProblemError`. */
export async function logoutOfServer(client: Client, server: string): Promise<LoggedOut> {
  const path = `/v1/servers/${encodeURIComponent(server)}/logout`;
  return (await client.call('POST', path, { timeoutMs: testMs })).json as unknown as LoggedOut;
}

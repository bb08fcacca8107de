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
